package site

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// asked runs the script of the pages without a browser and prints where the first answer to each
// of the questions is.
const asked = `
const [fs, vm, dir, ...questions] = [require('fs'), require('vm'), ...process.argv.slice(1)];
const page = { window: {}, localStorage: { getItem: () => null }, addEventListener() {}, questions,
  matchMedia: () => ({ matches: false, addEventListener() {} }), document: { documentElement: { classList: { toggle() {} } } } };
vm.createContext(page);
for (const file of ['index.js', 'site.js']) vm.runInContext(fs.readFileSync(dir + '/' + file, 'utf8'), page);
console.log(vm.runInContext('JSON.stringify(questions.map((q) => matches(q)[0]?.slice(0, 2).join("#") ?? ""))', page));`

func TestSearchAnswersQuestions(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run it")
	}
	dir := filepath.Join(t.TempDir(), "site")
	if err := built(t).Write(dir); err != nil {
		t.Fatal(err)
	}
	answers := [][2]string{
		{"how do I pull", "reference/rules.html#push-and-pull"},
		{"elo", "reference/glossary.html#measuring"},
		{"What is a visit?", "reference/glossary.html#search"},
		{"how do i train", "tutorials/train.html#train-your-first-network"},
		{"search.draw_penalty", "reference/settings.html#searchdraw_penalty"},
		{"why?", "about.html#why-warren"}, // a word that is left out beside others
		{"how xyzzy", ""},
		{"resume a run", "tutorials/train.html#stop-and-resume"},
		{"how do I stop training", "tutorials/train.html#stop-and-resume"},
		{"continue training", "tutorials/train.html#stop-and-resume"},
		{"my run is stuck", "how-to/health.html#it-stands-still"},
		{"out of memory", "how-to/troubleshooting.html#when-something-is-wrong"},
		{"disk full", "how-to/troubleshooting.html#when-something-is-wrong"},
		{"damaged file", "reference/files.html#the-files-of-a-run"},
		{"losses do not fall", "how-to/health.html#it-stands-still"},
		{"gpu", "how-to/graphics-card.html#use-a-graphics-card-gpu"},
		{"use several machines", "how-to/machines.html#two-machines"},
		{"export to onnx", "how-to/export.html#export-a-network-or-import-one"},
		{"import a network", "how-to/export.html#import"},
		{"change settings", "tutorials/train.html#settings"},
		{"tournament", "how-to/tournaments.html#measure-players-matches-and-tournaments"},
		{"captured", "reference/rules.html#traps"},
		{"frozen pieces", "reference/rules.html#frozen"},
		{"how do I win", "reference/rules.html#the-aim"},
		{"repetition", "reference/rules.html#the-small-print"},
		{"is there a draw", "reference/rules.html#the-small-print"},
		{"set up pieces", "reference/rules.html#a-turn-is-up-to-four-steps"},
		{"undo a move", "reference/commands.html#warren-play"},
		{"save a game", "tutorials/study.html#a-game-of-your-own"},
		{"levels", "reference/levels.html#levels-of-strength"},
		{"puzzles", "tutorials/play.html#puzzles"},
		{"how strong is it", "about.html#how-strong"},
	}
	args := []string{"-e", asked, dir}
	for _, a := range answers {
		args = append(args, a[0])
	}
	output, err := exec.Command(node, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	var found []string
	if err := json.Unmarshal(output, &found); err != nil || len(found) != len(answers) {
		t.Fatalf("%v: %s", err, output)
	}
	for i, a := range answers {
		if found[i] != a[1] {
			t.Errorf("%q finds %q, want %q", a[0], found[i], a[1])
		}
	}
}
