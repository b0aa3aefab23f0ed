// Package configs reads, checks, lists and archives a program's settings.
//
// Settings are a plain Go struct that already holds the defaults. A nested
// struct is a section; every other exported field is one setting, described by
// its tags:
//
//	type Search struct {
//		Cpuct float64 `yaml:"cpuct" min:"0" max:"100" doc:"exploration constant (AlphaZero, Silver et al. 2018: 1.25)"`
//	}
//	type Settings struct {
//		Search   Search        `yaml:"search" doc:"how a turn is searched"`
//		Duration time.Duration `yaml:"duration" min:"1s" max:"720h" doc:"how long to train"`
//		Solver   string        `yaml:"solver" oneof:"sgd adam" doc:"how weights are updated"`
//	}
//
// The settings of an embedded struct stand beside those of the struct that embeds
// it. A setting is a bool, an integer, a float, a string or a [time.Duration];
// there are no lists, maps or pointers, so a struct of settings can be copied
// and compared. In messages and on the command line a setting is named by its
// dotted key: search.cpuct.
//
// [Read] lays a YAML file (or one of the presets embedded here) and
// command-line overrides over the defaults and is strict: whatever it does not
// understand it refuses by name. [Describe] lists the settings for people and
// [List] for programs, [Write] archives them so that reading the file back gives
// an equal struct, [Hash] names them, and [Check] is what a package's tests call
// to hold its own settings to these rules.
//
// The package knows nothing of ours: who owns a setting also describes it.
package configs
