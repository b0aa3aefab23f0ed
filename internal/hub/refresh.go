package hub

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// refresh reads the list of workers and disconnects those that have been removed. If an outside server
// cannot be told of some, the next call tells it.
func (h *Hub) refresh() error {
	h.refreshing.Lock()
	defer h.refreshing.Unlock()
	list, err := h.o.Keys.List()
	if err != nil {
		return err
	}
	cutOff, others := h.workers.update(list)
	for _, w := range cutOff {
		h.o.Log.Info("hub: the worker is cut off", "worker", w.Name, "reason", w.Reason)
		if h.o.Server != nil {
			h.o.Server.close(w)
		}
	}
	if h.o.Server != nil {
		return nil
	}
	for _, w := range slices.Concat(cutOff, others) {
		h.untold[w.Account] = w
	}
	maps.DeleteFunc(h.untold, func(_ string, w *Credential) bool {
		failed := h.tell(w)
		err = cmp.Or(err, failed)
		return failed == nil
	})
	return err
}

// tell sends a worker's account to an outside server.
func (h *Hub) tell(w *Credential) error {
	text, err := h.o.Keys.sign(h.o.Keys.workerAccount(w))
	if err != nil {
		return err
	}
	answer, err := h.system.Request("$SYS.REQ.CLAIMS.UPDATE", []byte(text), 5*time.Second)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil // a server that looks up the accounts itself, such as the embedded one
	}
	if err != nil {
		return fmt.Errorf("telling the server of worker %s: %w", w.Name, err)
	}
	var said struct {
		Error *struct{ Description string }
	}
	if err := json.Unmarshal(answer.Data, &said); err == nil && said.Error != nil {
		return fmt.Errorf("telling the server of worker %s: %s", w.Name, said.Error.Description)
	}
	return nil
}
