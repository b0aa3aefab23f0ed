package arena

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"warren/game/clock"
	"warren/internal/arena/aei"
	"warren/internal/quoted"
)

var externalKind = kind{
	name: "aei", usage: "aei:COMMAND;tcmove=2s", help: `an external engine that speaks AEI; also any option of the engine, as in "aei:./sharp;tcmove=2s;hash=200"`,
	parse: func(text string) (*Entrant, error) {
		p, err := parseExternal(text)
		if err != nil {
			return nil, err
		}
		return &Entrant{Player: p, Identity: "aei:" + text}, nil
	},
}

// parseExternal reads an external engine as a command line names it:
//
//	COMMAND ARGUMENTS;tcmove=5s;tcreserve=1m;hash=200
//
// The command comes first, split into words as by a shell: quotes keep spaces and
// semicolons together. Options follow, each name=value. The match keeps the time
// control (tcmove, tcreserve, tcpercent, tcmax, tctotal, tcturns, tcturntime) and
// tells it to the engine; times are written as 5s, 1m30s, 200ms, or a number of
// seconds. The option label is the engine's name in reports, by default the name of
// its program. Every other option is sent to the engine unchanged.
func parseExternal(text string) (*External, error) {
	parts, err := quoted.Split(text, ";")
	if err != nil {
		return nil, fmt.Errorf("external engine %q: %w", text, err)
	}
	words, err := quoted.Words(parts[0])
	if err != nil {
		return nil, fmt.Errorf("external engine %q: %w", text, err)
	}
	p := &External{Command: words, Control: clock.Unlimited()}
	if len(p.Command) == 0 || p.Command[0] == "" {
		return nil, fmt.Errorf("external engine %q: the command is missing; write aei:COMMAND ARGUMENTS;tcmove=5s", text)
	}
	p.Label = strings.TrimSuffix(filepath.Base(p.Command[0]), ".exe")
	for _, part := range parts[1:] {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), quoted.Remove(strings.TrimSpace(value))
		if !ok || name == "" || strings.ContainsAny(name, " \t\r\n") || strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("external engine %q: option %q is not of the form name=value", text, part)
		}
		if err := p.set(name, value); err != nil {
			return nil, fmt.Errorf("external engine %q: %w", text, err)
		}
	}
	return p, nil
}

func (p *External) set(name, value string) error {
	if name == "label" {
		if value == "" {
			return errors.New("the option label has no value: write label=NAME")
		}
		p.Label = value
		return nil
	}
	if !strings.HasPrefix(name, "tc") {
		var other clock.Clock
		if known, _ := aei.SetClock(&other, name, "0"); known {
			return fmt.Errorf("the match sends the option %s itself", name)
		}
		p.Options = append(p.Options, aei.Option{Name: name, Value: value})
		return nil
	}
	number := value
	if name != "tcpercent" && name != "tcturns" {
		if d, err := time.ParseDuration(value); err == nil {
			number = fmt.Sprint(d.Seconds())
		}
	}
	known, err := aei.SetControl(&p.Control, name, number)
	if !known {
		return fmt.Errorf("there is no time control option %s; the options are tcmove, tcreserve, tcpercent, tcmax, tctotal, tcturns and tcturntime", name)
	}
	if err != nil {
		return fmt.Errorf("option %s: %.40q is not right: write a time such as 5s or 1m30s, or a number", name, value)
	}
	return nil
}
