package selfplay

import (
	"encoding/hex"
	"errors"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/kernel"
)

// TestInt16PlaysTheSameGames: in whole numbers, games do not depend on the kernels. They are chosen
// once in a process, so other processes of this test play on the others.
func TestInt16PlaysTheSameGames(t *testing.T) {
	n, err := device.Load("../../docs/climb/stage-0.safetensors", "int16")
	if err != nil {
		t.Fatal(err)
	}
	job := testJob(1, 4)
	job.Config.Visits.Final, job.Config.TurnLimit, job.Count = 8, 16, 4
	games, err := playOn(t, job, &eval.Network{Backend: n.Backend, Hash: "stage-0", Origin: eval.Origin{Generation: 1}})
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New128()
	for _, number := range slices.Sorted(maps.Keys(games)) {
		h.Write(encode(t, games[number]))
	}
	const variable = "GAMES_OF_ANOTHER_KERNEL"
	hash := hex.EncodeToString(h.Sum(nil))
	if want, ok := os.LookupEnv(variable); ok {
		if hash != want {
			t.Errorf("%s=%s: the games are not those of other kernels", kernel.Variable, kernel.Forced())
		}
		return
	}
	t.Logf("%d games, %s", len(games), hash)
	program, err := os.Executable()
	if err != nil {
		t.Skipf("only the fastest kernels are tested here: %v", err)
	}
	for _, p := range kernel.Paths() {
		other := exec.Command(program, "-test.run=^TestInt16PlaysTheSameGames$")
		other.Env = append(os.Environ(), kernel.Variable+"="+p.Name, variable+"="+hash)
		output, err := other.CombinedOutput()
		if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
			t.Skipf("only the fastest kernels are tested here: %v", err) // an emulator may start no process
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", p.Name, err, output)
		}
	}
}
