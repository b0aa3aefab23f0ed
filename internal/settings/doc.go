// Package settings reads, checks, lists and writes the settings of a program.
//
// Settings are a plain Go struct that already holds the defaults. A nested struct
// is a section. Every other exported field is one setting, described by its tags:
//
//	type Search struct {
//		Cpuct float64 `yaml:"cpuct" min:"0" max:"100" doc:"exploration constant" origin:"AlphaZero, Silver et al. 2018"`
//	}
//	type Settings struct {
//		Search   Search        `yaml:"search" doc:"how a turn is searched"`
//		Duration time.Duration `yaml:"duration" min:"1s" max:"720h" doc:"how long to train"`
//		Solver   string        `yaml:"solver" oneof:"sgd adam" doc:"how weights are updated"`
//	}
//
// The tag doc says what the setting does, in a phrase that begins in lower case. Three tags are optional:
// unit is what a number counts, origin tells where the default comes from, and change is a sentence
// on why a user would change it.
//
// A setting is a bool, an integer, a float, a string or a [time.Duration]. Lists,
// maps and pointers are not allowed, so a struct of settings can be copied and
// compared. Messages and the command line name a setting by its dotted key, such as
// search.cpuct.
//
// [Read] applies a YAML file, or one of the presets embedded in package configs, and command-line
// overrides on top of the defaults. It is strict: it rejects everything that it does
// not understand, and names it. [Describe] lists the settings for people, and [Reference]
// writes a page about them. [Write]
// writes them, so that reading the file back gives an equal struct. [Hash]
// identifies them. A package calls [Check] in its tests to check that its settings
// follow these rules.
//
// The package knows no particular setting but those that were removed or renamed (removed.go, renamed.go). The
// package that owns a setting also describes it.
package settings
