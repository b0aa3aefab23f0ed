// Package experiment compares ways to train. It trains variants of a preset with
// several seeds at equal processor time, lets the networks play each other and fixed
// reference players, and reports the results with intervals over seeds.
//
// # Equal processor time
//
// Every run has one core and a budget of processor time ([recipe.ProcessorClock]).
// Other work on the machine makes a run slower, but costs it nothing. As many runs
// as there are cores are worked on at once, each by a process of its own, so a
// crash of one does not end the others. The runs of the first seed come first, then
// those of the second, and so on. A milestone is the newest network at a fraction
// of the budget.
//
// # Measuring
//
// At the end every network of a variant plays every network of every other variant,
// in all combinations of seeds, and everyone plays the reference players. At a milestone a
// network plays the networks of the other variants with the same seed, and the
// reference players. A network searches as in matches, at match.visits or the visits of its
// variant's self-play: search settings of a variant act in self-play only. The matches of the first seeds are played while later seeds are trained.
//
// Where variants have several changes at once, as those of [Factorial], the report
// estimates what each change is worth from all networks.
//
// # A directory
//
//	experiment.json      the plan
//	settings/NAME.yaml   the settings of a variant, resolved
//	runs/NAME-SEED/      a run of package train, and finished.json when it is over
//	matches/end/, matches/0.30/  tournaments of package arena
//	logs/*.log           what the processes said
//	report.md, report.json  rewritten every minute
//	lock                 held while a process works on the experiment
//
// An experiment may be killed at any moment and continues when the same command is
// given again. A process whose parent was killed saves its run and ends.
package experiment
