package selfplay

import (
	"encoding/hex"
	"errors"
	"flag"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/kernel"
	"warren/internal/kernel/quant"
	"warren/mcts"
)

var whole = flag.Bool("whole", false, "TestInt16PlaysTheSameGames plays 200 games to their ends")

// TestInt16PlaysTheSameGames: in whole numbers, games do not depend on the kernels. They are chosen
// once in a process, so other processes of this test play on the others.
//
//	go test -run TestInt16PlaysTheSameGames -v ./internal/selfplay -args -whole
func TestInt16PlaysTheSameGames(t *testing.T) {
	path, err := kernel.Chosen()
	if err != nil {
		t.Fatal(err)
	}
	hash := hashOfGames(t)
	const variable = "GAMES_OF_ANOTHER_KERNEL"
	if want, ok := os.LookupEnv(variable); ok {
		if t.Logf("on %s", quant.On(path).Name()); hash != want {
			t.Errorf("%s=%s: the games are not those of other kernels", kernel.Variable, kernel.Forced())
		}
		return
	}
	t.Logf("the games on %s: %s", quant.On(path).Name(), hash)
	program, err := os.Executable()
	if err != nil {
		t.Skipf("only the fastest kernels are tested here: %v", err)
	}
	for _, u := range quant.Units() {
		name, vnni := strings.CutSuffix(u.Name(), "-vnni")
		other := exec.Command(program, append(os.Args[1:], "-test.v", "-test.run=^TestInt16PlaysTheSameGames$")...)
		other.Env = append(os.Environ(), kernel.Variable+"="+name, variable+"="+hash)
		if !vnni {
			other.Env = append(other.Env, "GODEBUG=cpu.avx512vnni=off")
		}
		output, err := other.CombinedOutput()
		if err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Skipf("only the fastest kernels are tested here: %v", err) // an emulator may start no process
		}
		if err != nil || !strings.Contains(string(output), "on "+u.Name()+"\n") {
			t.Errorf("%s: %v\n%s", u.Name(), err, output)
		}
	}
}

// hashOfGames plays games by either rule, and returns a hash of their records.
func hashOfGames(t *testing.T) string {
	t.Helper()
	n, err := device.Load("../../docs/climb/stage-0.safetensors", "int16")
	if err != nil {
		t.Fatal(err)
	}
	n = &eval.Network{Backend: n.Backend, Hash: "stage-0", Origin: eval.Origin{Generation: 1}}
	h := fnv.New128()
	for _, rule := range []string{mcts.PUCT, mcts.GumbelRule} {
		job := testJob(1, 4)
		job.Config, job.Search, job.Count = DefaultConfig(), mcts.DefaultConfig(), 100
		job.Config.Visits.Initial, job.Config.Visits.Final, job.Config.FastVisits = 8, 8, 8
		if job.Search.Rule = rule; !*whole {
			job.Config.RandomTurns, job.Config.TurnLimit, job.Count = 8, 10, 2
		}
		games, err := playOn(t, job, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range slices.Sorted(maps.Keys(games)) {
			h.Write(encode(t, games[number]))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
