package hub

import (
	"context"
	"time"

	"warren/internal/metrics"
)

// Metrics returns the state of the hub and its workers for Prometheus.
func (h *Hub) Metrics(ctx context.Context) []metrics.Family {
	now := time.Now()
	network, _ := h.known.inUse()
	activities := h.workers.activities()
	heard := 0
	worker := func(name, help string, value func(*Activity) int) metrics.Family {
		f := metrics.Family{Name: "warren_hub_" + name + "_total", Kind: "counter", Help: help}
		for i := range activities {
			f.Samples = append(f.Samples, metrics.Reading{
				Labels: []metrics.Label{{Name: "worker", Value: activities[i].Name}}, Value: float64(value(&activities[i])),
			})
		}
		return f
	}
	refused := metrics.Family{Name: "warren_hub_refused_total", Kind: "counter", Help: "Refused games and requests, by worker and reason."}
	for i := range activities {
		a := &activities[i]
		if a.Heard(now) {
			heard++
		}
		for reason, n := range a.Refused {
			refused.Samples = append(refused.Samples, metrics.Reading{
				Labels: []metrics.Label{{Name: "worker", Value: a.Name}, {Name: "reason", Value: reason}}, Value: float64(n),
			})
		}
	}
	list := []metrics.Family{
		metrics.Gauge("warren_hub_workers", "Workers that may connect.", float64(len(activities))),
		metrics.Gauge("warren_hub_workers_heard", "Workers that were heard in the last half minute.", float64(heard)),
		metrics.Gauge("warren_hub_numbers", "Game numbers that are being played.", float64(h.leases.playing(now))),
		metrics.Gauge("warren_hub_generation", "Generation of the network in use.", float64(network.Generation)),
		worker("games", "Accepted games, by worker.", func(a *Activity) int { return a.Games }),
		worker("repeated", "Repeated games, which do not count, by worker.", func(a *Activity) int { return a.Repeated }),
		worker("replayed", "Games that were replayed, by worker.", func(a *Activity) int { return a.Replayed }),
		worker("unchecked", "Games that this machine cannot replay, by worker.", func(a *Activity) int { return a.Unchecked }),
		refused,
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if info, err := h.games.Info(ctx); err == nil {
		list = append(list,
			metrics.Gauge("warren_hub_waiting_games", "Games in the stream that are not in a shard yet.", float64(info.State.Msgs)),
			metrics.Gauge("warren_hub_waiting_bytes", "Bytes of these games.", float64(info.State.Bytes)))
	}
	return list
}

// Metrics returns the state of the worker for Prometheus.
func (w *Worker) Metrics() []metrics.Family {
	c := w.Condition()
	return []metrics.Family{
		metrics.Gauge("warren_worker_queue", "Finished games that the hub has not received.", float64(c.Queue)),
		metrics.Gauge("warren_worker_numbers", "Game numbers that are leased and not started.", float64(c.Numbers)),
		metrics.Gauge("warren_worker_generation", "Generation of the network in use.", float64(c.Network)),
		metrics.Gauge("warren_worker_latency_seconds", "Time that the hub took to receive the last game.", c.Latency.Seconds()),
		metrics.Flag("warren_worker_waiting", "Whether the worker waits for the learner.", c.Behind),
		metrics.Flag("warren_worker_connected", "Whether the worker is connected to the hub.", !c.CutOff),
	}
}
