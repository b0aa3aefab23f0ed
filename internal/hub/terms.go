package hub

import (
	"context"
	"encoding/json"
	"fmt"

	"warren/data"
	"warren/internal/selfplay"
)

// terms holds the part of a job that a worker needs.
type terms struct {
	Format int    `json:"format"`
	Record int    `json:"record"` // data.Version
	Run    string `json:"run"`
	Seed   uint64 `json:"seed"`

	rules
	Stage int     `json:"stage,omitempty"` // that has the rules
	Later []rules `json:"later,omitempty"` // of the later stages
}

// rules are the settings of the games of a stage.
type rules struct {
	Settings string          `json:"settings"` // hash
	SelfPlay json.RawMessage `json:"selfplay"`
	Search   json.RawMessage `json:"search"`
}

func termsOf(job selfplay.Job) (terms, error) {
	t := terms{Format: Format, Record: data.Version, Run: job.Run, Seed: job.Seed}
	var err error
	if t.rules, err = rulesOf(&job.Rules); err != nil {
		return t, err
	}
	for i := range job.Later {
		later, err := rulesOf(&job.Later[i])
		if err != nil {
			return t, err
		}
		t.Later = append(t.Later, later)
	}
	return t, nil
}

func rulesOf(r *selfplay.Rules) (rules, error) {
	play, err := json.Marshal(r.Config)
	if err != nil {
		return rules{}, err
	}
	search, err := json.Marshal(r.Search)
	return rules{r.Settings, play, search}, err
}

// job is the inverse of termsOf. It returns an error if there is a setting, or a value of one, that this program does not know.
func (t *terms) job() (selfplay.Job, error) {
	job := selfplay.Job{Run: t.Run, Seed: t.Seed}
	for i, r := range append([]rules{t.rules}, t.Later...) {
		decoded := selfplay.Rules{Settings: r.Settings}
		if err := strict(r.SelfPlay, &decoded.Config); err != nil {
			return job, err
		}
		if err := strict(r.Search, &decoded.Search); err != nil {
			return job, err
		}
		if err := decoded.Search.Validate(); err != nil {
			return job, err
		}
		if i == 0 {
			job.Rules = decoded
		} else {
			job.Later = append(job.Later, decoded)
		}
	}
	return job, nil
}

// publishJob publishes a job to the workers. Its stages are known one by one, because a game is of one stage.
func (h *Hub) publishJob(ctx context.Context, job selfplay.Job) error {
	for stage := range 1 + len(job.Later) {
		one := job.Stage(stage)
		t, err := termsOf(one)
		if err != nil {
			return fmt.Errorf("publishing the settings: %w", err)
		}
		t.Stage = stage
		if h.known.addJob(one, stage) {
			if err := h.known.write(published{Job: &t}); err != nil {
				return err
			}
		}
	}
	t, err := termsOf(job)
	if err != nil {
		return fmt.Errorf("publishing the settings: %w", err)
	}
	err = putJSON(ctx, h.bucket, jobKey, &t)
	h.known.playBy(hashes(&job))
	return err
}

// hashes identifies the settings of all stages of a job.
func hashes(job *selfplay.Job) string {
	text := job.Settings
	for i := range job.Later {
		text += "," + job.Later[i].Settings
	}
	return text
}
