package arena

import (
	"encoding/json"
	"fmt"

	"warren/game"
)

// Reasons counts games by the way they ended. In JSON it is an object with the
// reasons that occurred, such as {"goal":2}.
type Reasons [game.NumReasons]int

// MarshalJSON writes the reasons by their names.
func (r Reasons) MarshalJSON() ([]byte, error) {
	counts := map[string]int{}
	for reason, n := range r {
		if n != 0 {
			counts[game.Reason(reason).String()] = n
		}
	}
	return json.Marshal(counts)
}

// UnmarshalJSON reads what MarshalJSON writes, and the list in the order of
// [game.Reason] that earlier versions wrote.
func (r *Reasons) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, (*[game.NumReasons]int)(r)) == nil {
		return nil
	}
	var counts map[string]int
	if err := json.Unmarshal(text, &counts); err != nil {
		return err
	}
	*r = Reasons{}
	for reason := range r {
		name := game.Reason(reason).String()
		r[reason] = counts[name]
		delete(counts, name)
	}
	for name := range counts {
		return fmt.Errorf("a game does not end by %q", name)
	}
	return nil
}
