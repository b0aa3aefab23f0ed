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
