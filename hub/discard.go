package hub

import (
	"fmt"
	"time"

	"warren/data"
)

// discard takes the games of workers out of the replay window where that was asked. The games of a
// worker are those with the numbers leased to it.
func (h *Hub) discard(archive Archive) error {
	list, err := h.o.Keys.List()
	if err != nil {
		return err
	}
	for _, c := range list {
		if !c.Discard || c.Discarded != nil {
			continue
		}
		numbers := h.leases.of(c.Account)
		err := readFiled(h.o.Keys.dir, func(x filed) {
			if x.Account == c.Account {
				numbers = append(numbers, data.Range{First: x.First, Count: x.Count})
			}
		})
		if err == nil {
			err = archive.Discard(numbers)
		}
		if err != nil {
			return fmt.Errorf("discarding the games of worker %s: %w", c.Name, err)
		}
		h.o.Log.Info("hub: the games of a worker are out of the replay window", "worker", c.Name)
		now := time.Now().UTC().Truncate(time.Second)
		c.Discarded = &now
		if err := h.o.Keys.save(c); err != nil {
			return err
		}
	}
	return nil
}

// of returns the numbers leased to an account, except those of filed leases.
func (l *leases) of(account string) (numbers []data.Range) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range [][]*lease{l.list, l.full} {
		for _, x := range list {
			if x.Account == account {
				numbers = append(numbers, data.Range{First: x.First, Count: x.Count})
			}
		}
	}
	return numbers
}
