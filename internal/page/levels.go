package page

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"

	"warren/internal/arena"
	"warren/internal/durable"
	"warren/internal/eval/device"
	"warren/net"
)

// The tournament of the levels: its directory in the run, the file of its
// ratings there, and its turn limit.
const (
	levelsFolder    = "levels"
	ratingsFile     = "ratings.json"
	levelsTurnLimit = 160
)

// order returns the levels by visits and the opponents without a network in the order in which they are
// expected to be strong. Each plays those that are at most two places away.
func order() (all []string) {
	weaker := map[string]string{"1": "random", "3": "greedy", "6": "alphabeta:nodes=2000"}
	for _, l := range arena.Levels() {
		if l.Time > 0 {
			break
		}
		id := strconv.Itoa(l.Number)
		if opponent, ok := weaker[id]; ok {
			all = append(all, opponent)
		}
		all = append(all, id)
	}
	return all
}

// RateLevels rates the levels by visits of the newest network of a run, by a tournament
// in the run's directory that can be resumed. Every pairing plays games games.
// The page then shows the ratings. The zero of the scale is that of the run's
// own ratings if it takes part, and else the random player.
func RateLevels(ctx context.Context, path string, games int, log *slog.Logger, observe func(arena.Progress)) (err error) {
	r, err := openRun(path)
	if err != nil {
		return err
	}
	generations := r.generations()
	if len(generations) == 0 {
		return fmt.Errorf("%s has no network to rate", path)
	}
	newest := generations[len(generations)-1]
	file, err := r.network(newest)
	if err != nil {
		return err
	}
	network, err := device.Load(file, device.Auto)
	if err != nil {
		return err
	}
	var entrants []*arena.Entrant
	place := map[string]int{}
	for i, id := range order() {
		var entrant *arena.Entrant
		if l, err := arena.ParseLevel(id); err == nil {
			entrant = arena.Seated(network, net.GenerationName(newest)+" "+id, l.Over(arena.DefaultSearch()))
		} else if entrant, err = (&arena.Names{}).Parse(id); err != nil {
			return err
		}
		place[entrant.Name()] = i
		entrants = append(entrants, entrant)
	}
	_, _, zero := r.ladder.read(path)
	if _, ok := place[zero]; !ok {
		zero = "random"
	}
	folder := filepath.Join(path, levelsFolder)
	t, err := arena.NewTournament(folder, arena.TournamentConfig{
		Rules: arena.Rules{Seed: 1, TurnLimit: levelsTurnLimit}, Anchor: zero, Log: log,
		Between: func(a, b string) int {
			if max(place[a]-place[b], place[b]-place[a]) > 2 {
				return 0
			}
			return games
		},
	}, entrants)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := t.Run(ctx, observe); err != nil && ctx.Err() == nil {
		return fmt.Errorf("rating the levels: %w", err)
	}
	standings, err := t.Standings()
	if err != nil {
		return fmt.Errorf("rating the levels: %w", err)
	}
	return durable.WriteJSON(filepath.Join(folder, ratingsFile), standings, "")
}

// ratedLevels returns the ratings of levels by generation and level. They say which
// player is their zero if it is not zero, that of the run's own ratings.
func (r *run) ratedLevels(zero string) map[int]map[string]rated {
	var standings arena.Standings
	if durable.ReadJSON(filepath.Join(r.path, levelsFolder, ratingsFile), &standings) != nil {
		return nil
	}
	all := map[int]map[string]rated{}
	for _, p := range standings.Players {
		name, id, _ := strings.Cut(p.Name, " ")
		generation, _, ok := parseMatch(name)
		if !ok || id == "" || p.Games == 0 {
			continue
		}
		if all[generation] == nil {
			all[generation] = map[string]rated{}
		}
		level := rated{Name: p.Name, Elo: p.Elo, Margin: p.Margin}
		if standings.Anchor != zero {
			level.Zero = standings.Anchor
		}
		all[generation][id] = level
	}
	return all
}
