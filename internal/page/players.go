package page

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"warren/internal/arena"
	"warren/internal/eval"
	"warren/net/bundled"
)

// baseline is an opponent without a network.
type baseline struct {
	ID    string `json:"id"` // the name that package arena parses
	Title string `json:"title"`
	About string `json:"about"`
}

var baselines = []baseline{
	{"random", "Random", "any legal step"},
	{"greedy", "Greedy", "takes what it can, looks one turn ahead"},
	{"alphabeta:nodes=2000", "Alpha-beta, quick", "a hand-written engine, 2,000 positions a turn"},
	{"alphabeta:nodes=20000", "Alpha-beta, thorough", "20,000 positions a turn"},
	{"alphabeta:nodes=200000", "Alpha-beta, patient", "200,000 positions a turn, some seconds"},
}

// networkInfo is a network available as an opponent or for advice.
type networkInfo struct {
	ID     string           `json:"id"`
	Title  string           `json:"title"`
	Level  string           `json:"level"`            // the one to begin with
	Rating *rated           `json:"rating,omitempty"` // on the run's ladder
	Levels map[string]rated `json:"levels,omitempty"` // ratings of the levels, if they have been rated
}

// levelInfo is a strength at which any network plays.
type levelInfo struct {
	ID    string `json:"id"` // its number, or adapt
	Title string `json:"title"`
}

func levels() (all []levelInfo) {
	for _, l := range arena.Levels() {
		all = append(all, levelInfo{strconv.Itoa(l.Number), l.Title})
	}
	adapting := arena.Adapting()
	return append(all, levelInfo{adapting.ID(), adapting.Title})
}

// given is the ID of the network named in the configuration.
const given = "given"

// players returns the available opponents.
func (s *Server) players(*http.Request) (any, error) {
	list := []networkInfo{}
	if path, title, err := s.find(given); err == nil {
		level := arena.UsualLevel
		if path == bundled.Name {
			level = arena.FirstLevel
		}
		list = append(list, networkInfo{ID: given, Title: title, Level: strconv.Itoa(level)})
	}
	for i, r := range s.runs {
		_, ladder, zero := r.ladder.read(r.path)
		levels := r.ratedLevels(zero)
		for _, n := range slices.Backward(r.generations()) {
			info := networkInfo{ID: networkID(i, n), Title: r.title(n), Level: strconv.Itoa(arena.UsualLevel), Levels: levels[n]}
			if rating, ok := ladder[n]; ok {
				info.Rating = &rating
			}
			list = append(list, info)
		}
	}
	return map[string]any{"networks": list, "levels": levels(), "baselines": baselines}, nil
}

// title is what the page calls the network of a generation.
func (r *run) title(generation int) string {
	return fmt.Sprintf("%s, generation %d", r.name, generation)
}

func networkID(run, generation int) string { return fmt.Sprintf("%d/%d", run, generation) }

// networkID returns the ID of a network of a run, or "" if the run has no such
// network.
func (s *Server) networkID(r *run, generation int) string {
	if !slices.Contains(r.generations(), generation) {
		return ""
	}
	return networkID(slices.Index(s.runs, r), generation)
}

// find returns the path and the title of the network with the given [networkInfo] ID.
func (s *Server) find(id string) (path, title string, err error) {
	switch {
	case id != given || s.config.Network == "":
	case s.config.Network == bundled.Name:
		return bundled.Name, "Warren", nil
	default:
		return s.config.Network, name(s.config.Network), nil
	}
	first, second, _ := strings.Cut(id, "/")
	run, err1 := strconv.Atoi(first)
	generation, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || run < 0 || run >= len(s.runs) {
		return "", "", missing("there is no network %.20q", id)
	}
	path, err = s.runs[run].network(generation)
	return path, s.runs[run].title(generation), err
}

// network opens the network with the given [networkInfo] ID.
func (s *Server) network(id string) (*eval.Network, error) {
	path, _, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return s.networks.get(path)
}

// player returns the player with the given ID, and its network, or nil if it
// has none. The level applies only to networks.
func (s *Server) player(id, levelID string) (arena.Player, *eval.Network, error) {
	for _, b := range baselines {
		if b.ID == id {
			e, err := (&arena.Names{}).Parse(id)
			if err != nil {
				return nil, nil, err
			}
			return e.Player, nil, nil
		}
	}
	path, name, err := s.find(id)
	if err != nil {
		return nil, nil, err
	}
	network, err := s.networks.get(path)
	if err != nil {
		return nil, nil, err
	}
	level, err := arena.ParseLevel(levelID)
	if err != nil {
		return nil, nil, missing("%v", err)
	}
	search := level.Over(arena.DefaultSearch())
	search.Threads = runtime.GOMAXPROCS(0)
	switch {
	case path != bundled.Name: // its levels are as strong as it is
	case level.Adapts:
		name = "Adapting level"
	default:
		name = fmt.Sprintf("Level %d", level.Number)
	}
	return arena.Seated(network, name, search).Player, network, nil
}
