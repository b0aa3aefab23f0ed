package hub

import (
	"fmt"
	"slices"
	"time"
)

// discard takes the games of workers out of the replay window where that was asked. The games of a worker are those with
// the numbers leased to it, or to an earlier one of its name.
func (h *Hub) discard(store GameStore) error {
	list, err := h.o.Keys.List()
	if err != nil {
		return err
	}
	for _, c := range list {
		if !c.Discard || c.Discarded != nil {
			continue
		}
		if err := store.Discard(h.leases.of(slices.Concat(c.Former, []string{c.Account}))); err != nil {
			return fmt.Errorf("discarding the games of worker %s: %w", c.Name, err)
		}
		h.o.Log.Info("hub: the games of a worker are out of the replay window", "worker", c.Name)
		now := time.Now().UTC().Truncate(time.Second)
		done := *c // the list is kept, and says so only when the file does
		done.Discarded = &now
		if err := h.o.Keys.save(&done); err != nil {
			return err
		}
	}
	return nil
}
