//go:build !js

package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"warren/data"
	"warren/game"
)

// storedGames gives access to the stored games of a run. It keeps the headers of
// the games in the most recently used shards in memory, but no games.
type storedGames struct {
	folder string

	mu      sync.Mutex
	headers map[string][]data.Header // by file name of the shard
	order   []string                 // keys of headers, the most recently used last
	held    int                      // number of headers in the map
	spans   map[string]shard         // by file name; the name contains the hash, so the games stay the same
}

// maxHeaders limits the headers that storedGames keeps, about 32 bytes each.
const maxHeaders = 300_000

var shardName = regexp.MustCompile(`^games-[0-9]{8,20}-[0-9a-f]{16}\.parquet$`)

// shard is a file of games, and the lowest and highest game number in it. The numbers of shards overlap: a shard
// holds games that ended at about the same time, and long games began before short ones.
type shard struct {
	file        string
	first, last uint64
}

// shards returns the shards in descending order of their highest numbers. It gives up when ctx is over; the next call
// continues from there.
func (s *storedGames) shards(ctx context.Context) ([]shard, error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for games: %w", err)
	}
	var list []shard
	for _, e := range entries {
		if !shardName.MatchString(e.Name()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, s.span(e.Name()))
	}
	slices.SortFunc(list, func(a, b shard) int { return cmp.Compare(b.last, a.last) })
	return list, nil
}

// span returns the shard in a file. One whose footer cannot be read comes last: its games cannot be read either, and
// opening it says why.
func (s *storedGames) span(file string) shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh, ok := s.spans[file]; ok {
		return sh
	}
	first, last, err := data.Span(filepath.Join(s.folder, file))
	if err != nil {
		return shard{file: file}
	}
	if s.spans == nil {
		s.spans = map[string]shard{}
	}
	s.spans[file] = shard{file, first, last}
	return s.spans[file]
}

// of returns the headers of a shard.
func (s *storedGames) of(file string) ([]data.Header, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.order, file); i >= 0 {
		s.order = append(slices.Delete(s.order, i, i+1), file)
		return s.headers[file], nil
	}
	opened, err := data.OpenShard(filepath.Join(s.folder, file))
	if err != nil {
		return nil, err
	}
	var list []data.Header
	for h, err := range opened.Headers() {
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	if s.headers == nil {
		s.headers = map[string][]data.Header{}
	}
	s.headers[file], s.order, s.held = list, append(s.order, file), s.held+len(list)
	for s.held > maxHeaders && len(s.order) > 1 {
		oldest := s.order[0]
		s.held -= len(s.headers[oldest])
		delete(s.headers, oldest)
		s.order = s.order[1:]
	}
	return list, nil
}

// record returns the game with the given number. It gives up when ctx is over.
func (s *storedGames) record(ctx context.Context, number uint64) (*data.Record, error) {
	list, err := s.shards(ctx)
	if err != nil {
		return nil, err
	}
	for _, sh := range list {
		if number < sh.first || number > sh.last {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		headers, err := s.of(sh.file)
		if errors.Is(err, data.ErrFormat) {
			return nil, err
		}
		if err != nil || !slices.ContainsFunc(headers, func(h data.Header) bool { return h.Game == number }) {
			continue // a damaged shard counts as missing
		}
		opened, err := data.OpenShard(filepath.Join(s.folder, sh.file))
		if err != nil {
			return nil, err
		}
		for r, err := range opened.Records() {
			if err != nil {
				return nil, err
			}
			if r.Game == number {
				return r, nil
			}
		}
	}
	return nil, missing("game %d is not stored here", number)
}

// query selects the games to list.
type query struct {
	generation int    // -1: any
	winner     string // "gold", "silver", or "none" for no result
	reason     string
	opening    string        // "setup": from the empty board; "random": after a random opening
	shortest   int           // in turns
	longest    int           // in turns; 0: any
	before     uint64        // only games below this number
	limit      int           // number of games to list
	patience   time.Duration // time after which the list is cut short
}

func (q *query) wants(g *gameInfo) bool {
	beginning := "setup"
	if g.Opening > 0 {
		beginning = "random"
	}
	return g.Game < q.before &&
		(q.generation < 0 || int(g.Generation) == q.generation) &&
		(q.winner == "" || q.winner == g.Winner || q.winner == "none" && g.Winner == "") &&
		(q.reason == "" || q.reason == g.Reason) &&
		(q.opening == "" || q.opening == beginning) &&
		int(g.Turns) >= q.shortest && (q.longest == 0 || int(g.Turns) <= q.longest)
}

type gameInfo struct {
	Game       uint64 `json:"game"`
	Generation int32  `json:"generation"`
	Opening    int32  `json:"opening"`
	Winner     string `json:"winner"` // empty if there is no result
	Reason     string `json:"reason"`
	Turns      int32  `json:"turns"`
}

func infoOf(h *data.Header) gameInfo {
	info := gameInfo{Game: h.Game, Generation: h.Generation, Opening: h.Opening, Turns: h.Turns, Reason: h.Result.Reason.String()}
	if h.Result.Over() {
		info.Winner = h.Result.Winner.String()
	}
	return info
}

// gameList is a part of a list. If More is true, the games below Next have not
// been searched yet.
type gameList struct {
	Games []gameInfo `json:"games"`
	More  bool       `json:"more"`
	Next  uint64     `json:"next"`
}

// list returns the newest games that match the query. It stops when the query's
// patience is over, and reports where to continue. It gives up if ctx is over before it has looked at any game.
func (s *storedGames) list(ctx context.Context, q query) (*gameList, error) {
	shards, err := s.shards(ctx)
	if err != nil {
		return nil, err
	}
	began, found := time.Now(), &gameList{Games: []gameInfo{}}
	for _, sh := range shards {
		full := len(found.Games) == q.limit
		switch {
		case full && sh.last < found.Games[q.limit-1].Game: // and so are those of the next ones
			found.More, found.Next = true, found.Games[q.limit-1].Game
			return found, nil
		case sh.first >= q.before:
			continue
		case time.Since(began) > q.patience:
			found.More, found.Next = true, min(q.before-1, sh.last)+1
			// The games below are not all known yet.
			found.Games = slices.DeleteFunc(found.Games, func(g gameInfo) bool { return g.Game < found.Next })
			return found, nil
		}
		if err := s.add(found, &q, sh.file); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// add adds the games of a shard to a list, as far as they match the query. The list keeps
// the newest. A damaged shard is left out.
func (s *storedGames) add(found *gameList, q *query, file string) error {
	headers, err := s.of(file)
	if err != nil {
		if errors.Is(err, data.ErrDamaged) || data.NotAFile(err) {
			return nil
		}
		return err
	}
	for i := range headers {
		if g := infoOf(&headers[i]); q.wants(&g) {
			found.Games = append(found.Games, g)
		}
	}
	slices.SortFunc(found.Games, func(a, b gameInfo) int { return cmp.Compare(b.Game, a.Game) })
	if len(found.Games) > q.limit {
		found.Games = found.Games[:q.limit]
		found.More, found.Next = true, found.Games[q.limit-1].Game
	}
	return nil
}

// listGames returns the games of a run that match the query.
func (s *Server) listGames(run *run, r *http.Request) (any, error) {
	q := query{generation: -1, before: 1<<64 - 1, limit: 60, patience: 1500 * time.Millisecond,
		winner: r.FormValue("winner"), reason: r.FormValue("reason"), opening: r.FormValue("opening")}
	for name, into := range map[string]*int{"generation": &q.generation, "shortest": &q.shortest, "longest": &q.longest} {
		if text := r.FormValue(name); text != "" {
			var err error
			if *into, err = strconv.Atoi(text); err != nil || *into < 0 {
				return nil, wrong("%s is %.20q, must be a whole number", name, text)
			}
		}
	}
	if text := r.FormValue("before"); text != "" {
		var err error
		if q.before, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, wrong("before is %.20q, must be the number of a game", text)
		}
	}
	return run.games.list(r.Context(), q)
}

// showGame returns a game, position by position.
func (s *Server) showGame(run *run, r *http.Request) (any, error) {
	number, err := strconv.ParseUint(r.PathValue("game"), 10, 64)
	if err != nil {
		return nil, wrong("%.20q is not the number of a game", r.PathValue("game"))
	}
	// Where every shard has a game that began long before, every shard may have this one, and together they may be
	// gigabytes.
	ctx, cancel := context.WithTimeout(r.Context(), s.patience)
	defer cancel()
	record, err := run.games.record(ctx, number)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, missing("game %d was not found within some seconds; load it again to continue the search", number)
	}
	if err != nil {
		return nil, err
	}
	actions := make([]game.Action, len(record.Decisions))
	for i := range record.Decisions {
		actions[i] = record.Decisions[i].Action
	}
	shown := replayOf(&studied{start: game.New(), actions: actions})
	for i := range shown.Frames {
		shown.Frames[i].search(&record.Decisions[i])
	}
	shown.Title = fmt.Sprintf("%s, game %d", run.name, record.Game)
	shown.Generation, shown.Opening, shown.Turns = int(record.Generation), int(record.Opening), int(record.Turns)
	shown.result(record.Result)
	shown.Network, shown.Mixed = s.networkID(run, shown.Generation), run.mixed(shown.Generation)
	return shown, nil
}

// search adds the result of the search before the frame's action.
func (f *frame) search(d *data.Decision) {
	if !d.Searched() {
		return
	}
	f.Full, f.Drawn = d.Full, d.Drawn()
	f.Value = goldChance(f.Side == game.Gold.String(), d.Value)
	for _, v := range d.Visits {
		f.Visits = append(f.Visits, [2]int{int(v.Action), int(v.Count)})
	}
	for _, p := range d.Policy {
		f.Policy = append(f.Policy, [2]float64{float64(p.Action), float64(p.Share)})
	}
}
