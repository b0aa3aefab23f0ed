package analysis

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/gather"
	"warren/internal/nettest"
	"warren/mcts"
	"warren/net"
)

const opening = "g [rrrrrrrrhdcemcdh................................HDCMECDHRRRRRRRR]"

// config returns an engine's with a small network.
func config(t testing.TB, threads int) Config {
	t.Helper()
	c := net.Config{Blocks: 1, Channels: 16, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}
	b, err := cpu.New(nettest.Lively(t, c, 1))
	if err != nil {
		t.Fatal(err)
	}
	return Config{Search: mcts.MatchConfig(), Network: &eval.Network{Backend: b, Hash: "abc"}, Visits: 20, Threads: threads, Memory: 64 << 20}
}

// reply is any line of output.
type reply struct {
	Answer
	Error     string `json:"error"`
	Field     string `json:"field"`
	Cancelled *int   `json:"cancelled"`
}

// serve returns the answers to lines.
func serve(t testing.TB, c Config, lines string) []reply {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(t.Context(), c, strings.NewReader(lines), &out); err != nil {
		t.Fatal(err)
	}
	return replies(t, out.Bytes())
}

func replies(t testing.TB, out []byte) (all []reply) {
	t.Helper()
	for line := range bytes.Lines(out) {
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}

// positions returns some positions of a game in which the first legal action is always played.
func somePositions(n int) (all []*game.Game) {
	b, side, _ := game.ParsePosition(opening)
	g := game.FromBoard(b, side)
	for len(all) < n {
		all = append(all, g.Clone())
		legal := g.Legal(nil)
		g.Play(legal[len(all)*7%len(legal)])
		for g.StepsLeft() < 4 && !g.Result().Over() {
			legal = g.Legal(legal[:0])
			g.Play(legal[len(legal)-1])
		}
	}
	return all
}

// Positions that are searched together, by any number of threads, have the answers of searches alone.
func TestAnswersAreThoseOfTheSearch(t *testing.T) {
	games := somePositions(30)
	var lines strings.Builder
	for i, g := range games {
		fmt.Fprintf(&lines, `{"id":"%d","position":%q,"visits":%d,"steps":263,"priors":true}`+"\n", i, game.FormatPosition(g.Board(), g.Side()), 5+i*3)
	}
	others := 0 // positions in which not the step with the most visits is played
	for _, threads := range []int{1, 3} {
		c := config(t, threads)
		answers := map[string]reply{}
		for _, r := range serve(t, c, lines.String()) {
			answers[r.ID] = r
		}
		stream, err := c.Network.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range games {
			visits := 5 + i*3
			s := mcts.New(c.Search, visits)
			s.Reset(game.FromBoard(*g.Board(), g.Side()))
			s.Begin(visits, nil)
			for leaves := (gather.Leaves{}); s.Simulations() < visits && !s.Settled(); {
				if leaves.Take(s) == mcts.Evaluate {
					if err := leaves.Evaluate(stream); err != nil {
						t.Fatal(err)
					}
					leaves.Return()
				}
			}
			a, ok := answers[fmt.Sprint(i)]
			if !ok || a.Visits != s.Simulations() || a.Value != s.Value() || a.Gold != seen(s.Value(), g.Side()) || a.Line != game.FormatLine(s.Game(), s.PV(nil)) {
				t.Fatalf("position %d: %+v, alone %d visits, value %v", i, a, s.Simulations(), s.Value())
			}
			moves := s.Root(nil)
			if len(a.Steps) != len(moves) || len(a.Priors) != len(moves) {
				t.Fatalf("position %d has %d steps and %d priors, not %d", i, len(a.Steps), len(a.Priors), len(moves))
			}
			for _, m := range moves {
				found := false
				for _, step := range a.Steps {
					found = found || step.Step == name(s.Game(), m.Action) && step.Visits == m.Visits && step.Value == m.Q && step.Prior == m.Prior
				}
				if !found {
					t.Errorf("position %d lacks %+v", i, m)
				}
			}
			for _, step := range a.Steps {
				if _, err := game.ParseTurn(s.Game(), step.Turn); err != nil {
					t.Errorf("position %d: the turn %q of %s: %v", i, step.Turn, step.Step, err)
				}
			}
			first, rest := a.Steps[0], a.Steps[1:]
			if out, _ := s.Outcome(0, nil); first.Step != name(s.Game(), out.Action) || first.Line != a.Line {
				t.Errorf("position %d begins with %+v, and a match plays %s", i, first, name(s.Game(), out.Action))
			}
			if a.Proven == "" && !slices.IsSortedFunc(rest, func(x, y Step) int {
				return cmp.Or(cmp.Compare(x.Proven, y.Proven), cmp.Compare(y.Visits, x.Visits))
			}) {
				t.Errorf("position %d: the others are not in the order of their visits: %+v", i, rest)
			}
			if first.Visits < rest[0].Visits {
				others++
			}
		}
		stream.Close()
	}
	if others == 0 {
		t.Error("the step with the most visits is always played: the positions do not tell the order")
	}
}

func TestTurnsOfAGame(t *testing.T) {
	moves := "1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ha2 Db2 Cc2 Ed2 Me2 Cf2 Dg2 Hh2\\n1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ha7 db7 cc7 ed7 me7 cf7 dg7 hh7\\n2g Ed2n Ed3n\\n2s ed7s\\n"
	want := map[int]string{0: "1g", 1: "1s", 2: "2g", 3: "2s", 4: "3g"}
	got := map[int]string{}
	for _, r := range serve(t, config(t, 2), `{"id":"x","moves":"`+moves+`","turns":[4,3,2,1,0]}`) {
		if r.Error != "" || r.ID != "x" || r.Visits < 20 {
			t.Errorf("%+v", r)
		}
		got[r.Turn] = r.Label
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the labels are %v, want %v", got, want)
	}
	last := serve(t, config(t, 1), `{"id":"x","moves":"`+moves+`","visits":1}`)
	if len(last) != 1 || last[0].Turn != 4 || last[0].Network == nil || *last[0].Network != last[0].Value {
		t.Errorf("the last turn: %+v", last)
	}
	for position, want := range map[string]string{
		"s [R                                       r                      E]": "gold won: value 0, gold 1",
		"g [e                      R                                       r]": "silver won: value 0, gold 0",
	} {
		over := serve(t, config(t, 1), `{"id":"x","position":"`+position+`"}`)
		if len(over) != 1 || over[0].Visits > 0 || fmt.Sprintf("%s won: value %v, gold %v", over[0].Winner, over[0].Value, over[0].Gold) != want {
			t.Errorf("%+v, want %s", over, want)
		}
	}
	won := serve(t, config(t, 1), `{"id":"x","position":"g [        R      r                                              E ]","steps":1}`)
	if len(won) != 1 || won[0].Proven != "won" || won[0].Value != 1 || len(won[0].Steps) != 1 || won[0].Steps[0].Turn != "Ra7n" || won[0].Network != nil {
		t.Errorf("%+v", won)
	}
}

// A query that is wrong has one line that says what, and the others are answered.
func TestWrongQueries(t *testing.T) {
	for line, want := range map[string][3]string{
		`junk`:                                      {"", "", "this is no query"},
		`{"id":"a"} {}`:                             {"a", "", "more than one value"},
		`{"id":"a","visit":3}`:                      {"a", "visit", `no field "visit"`},
		`{"id":"a","visits":"3"}`:                   {"a", "visits", "must be a whole number"},
		`{"id":"a","visits":0}`:                     {"a", "visits", "from 1 to"},
		`{"id":"a","visits":1000000}`:               {"a", "visits", "more --memory"},
		`{"id":"a","steps":-1}`:                     {"a", "steps", "from 0 to 263"},
		`{"id":"a","seconds":0}`:                    {"a", "seconds", "from 0.001"},
		`{"id":"a","report":1e9}`:                   {"a", "report", "to 86400"},
		`{"id":"a","priority":100000000}`:           {"a", "priority", "to 1000000"},
		`{"id":"a","turns":[1]}`:                    {"a", "turns", "has 0 turns"},
		`{"id":"a","turns":[]}`:                     {"a", "turns", "leave it out"},
		`{"id":"a","position":"g"}`:                 {"a", "position", ""},
		`{"id":"a","moves":"1g Ra1"}`:               {"a", "moves", "places 1 of 16"},
		`{"id":"a","moves":"x","position":"g"}`:     {"a", "position", "not both"},
		`{"id":"a","action":"go"}`:                  {"a", "action", "cancel_all"},
		`{"position":"g"}`:                          {"", "id", "needs an id"},
		`[1]`:                                       {"", "", "this is no query"},
		`{"id":"` + strings.Repeat("x", 300) + `"}`: {strings.Repeat("x", 300), "id", "300 bytes"},
		strings.Repeat("[", 1000):                   {"", "", "this is no query"},
		strings.Repeat("x", longest):                {"", "", "is not read"},
	} {
		got := serve(t, config(t, 1), line+"\n{\"id\":\"good\",\"visits\":1}\n")
		if len(got) != 2 {
			t.Fatalf("%.50s: %d answers", line, len(got))
		}
		bad := got[0]
		if bad.ID == "good" {
			bad = got[1]
		}
		if bad.ID != want[0] || bad.Field != want[1] || !strings.Contains(bad.Error, want[2]) || bad.Error == "" || strings.Contains(bad.Error, "\n") {
			t.Errorf("%.50s: %q, field %q", line, bad.Error, bad.Field)
		}
	}
}

// conversation writes lines to an engine and reads its answers.
type conversation struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan []byte // of output
	ended chan error
}

func converse(t *testing.T, c Config) *conversation {
	in, w := io.Pipe()
	r, out := io.Pipe()
	k := &conversation{t, w, make(chan []byte, 1<<16), make(chan error, 1)}
	go func() {
		defer close(k.lines)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			k.lines <- bytes.Clone(lines.Bytes())
		}
	}()
	go func() {
		err := Serve(t.Context(), c, in, out)
		out.CloseWithError(err)
		k.ended <- err
	}()
	return k
}

func (k *conversation) send(line string) {
	k.t.Helper()
	if _, err := fmt.Fprintln(k.in, line); err != nil {
		k.t.Fatal(err)
	}
}

func (k *conversation) next() reply {
	k.t.Helper()
	line, ok := <-k.lines
	if !ok {
		k.t.Fatal("no more answers")
	}
	return replies(k.t, line)[0]
}

// A cancelled position has no final answer, whether it waits or is searched, and others are not disturbed.
func TestCancel(t *testing.T) {
	k := converse(t, config(t, 1))
	k.send(`{"id":"long","position":"` + opening + `","visits":90000,"report":0.01}`)
	for range 2 {
		if r := k.next(); r.ID != "long" || !r.Partial || r.Visits == 0 {
			t.Fatalf("%+v", r)
		}
	}
	k.send(`{"id":"waits","position":"` + opening + `","visits":90000}`) // there is no room for both
	k.send(`{"id":"none","action":"cancel"}`)
	k.send(`{"id":"long","action":"cancel"}`)
	var cancelled []string
	for len(cancelled) < 2 {
		if r := k.next(); r.Cancelled != nil {
			cancelled = append(cancelled, fmt.Sprint(r.ID, *r.Cancelled))
		} else if r.ID != "long" || !r.Partial {
			t.Fatalf("%+v", r)
		}
	}
	k.send(`{"action":"cancel_all"}`)
	k.send(`{"id":"short","visits":1}`)
	k.in.Close()
	for {
		r := k.next()
		if r.Cancelled != nil {
			cancelled = append(cancelled, fmt.Sprint(r.ID, *r.Cancelled))
		} else if r.ID == "short" {
			break
		} else if !r.Partial {
			t.Fatalf("%+v", r)
		}
	}
	if fmt.Sprint(cancelled) != "[none0 long1 1]" {
		t.Errorf("cancelled: %v", cancelled)
	}
	if err := <-k.ended; err != nil {
		t.Error(err)
	}
}

// Positions of a higher priority are begun first, and equal ones in their order.
func TestPriority(t *testing.T) {
	var q queue
	for i, p := range []int{0, 5, 0, -1, 5} {
		q.add(&job{query: &Query{ID: fmt.Sprint(i), Priority: p}})
	}
	var order []string
	for q.first() != nil {
		order = append(order, q.first().query.ID)
		q.remove()
	}
	if fmt.Sprint(order) != "[1 4 0 2 3]" {
		t.Errorf("the order is %v", order)
	}
}

// Ten thousand queries at once are all answered, with bounded trees.
func TestManyQueries(t *testing.T) {
	c := config(t, 2)
	c.Memory = 100 * nodeBytes
	var lines strings.Builder
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&lines, `{"id":"%d","position":"`+opening+`","visits":1,"steps":1}`+"\n", i)
	}
	ids := map[string]bool{}
	for _, r := range serve(t, c, lines.String()) {
		if r.Error != "" || r.Visits != 1 {
			t.Fatalf("%+v", r)
		}
		ids[r.ID] = true
	}
	if len(ids) != n {
		t.Errorf("%d of %d queries were answered", len(ids), n)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A client that is gone ends the engine, though it has more to say.
func TestClientThatIsGone(t *testing.T) {
	in, w := io.Pipe()
	go fmt.Fprintln(w, `{"id":"a","visits":1}`)
	if err := Serve(t.Context(), config(t, 2), in, broken{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("it ended with %v", err)
	}
	// Ctrl-C ends it, too.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Serve(ctx, config(t, 2), in, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C it ended with %v", err)
	}
}

// A query of more positions than the queue holds is searched.
func TestQueryLongerThanTheQueue(t *testing.T) {
	const positions = 6
	c := Config{Search: mcts.MatchConfig(), Network: &eval.Network{Backend: eval.Uniform{}}, Visits: 2, Threads: 1, Memory: 20 * nodeBytes}
	answers := 0
	e := newEngine(c, func(any) { answers++ })
	e.queue.most = 2
	ended := make(chan error, 1)
	go func() { ended <- e.run(t.Context()) }()
	jobs := make([]*job, positions)
	for i := range jobs {
		jobs[i] = &job{query: &Query{}, game: game.New(), visits: 2}
	}
	e.add(t.Context(), jobs)
	e.close()
	if err := <-ended; err != nil || answers != positions {
		t.Errorf("%d answers of %d, %v", answers, positions, err)
	}
}

// Positions are searched at once as far as their trees have room. One that is answered makes room and is forgotten.
func TestRoom(t *testing.T) {
	e := newEngine(Config{Search: mcts.MatchConfig(), Memory: 20 * nodeBytes}, nil)
	for range 3 {
		e.add(t.Context(), []*job{{query: &Query{}, game: game.New(), visits: 8}})
	}
	for _, n := range []int{2, 1} { // searched, of 3
		active := e.take(t.Context(), nil, 3)
		if len(active) != n || e.room != 20-8*n {
			t.Fatalf("%d positions are searched with room for %d visits more, want %d", len(active), e.room, n)
		}
		for _, j := range active {
			e.release(j)
		}
	}
	if n := e.cancel("", true); n != 0 || e.room != 20 {
		t.Errorf("%d answered positions are cancelled, and there is room for %d visits", n, e.room)
	}
}

// The positions of a query are shared out to the threads, so that none is idle.
func TestShares(t *testing.T) {
	e := newEngine(Config{Search: mcts.MatchConfig(), Memory: 100 * nodeBytes, Threads: 2}, nil)
	for range 9 {
		e.add(t.Context(), []*job{{query: &Query{}, game: game.New(), visits: 1}})
	}
	first := e.take(t.Context(), nil, 8)
	if second := e.take(t.Context(), nil, 8); len(first) != 5 || len(second) != 4 {
		t.Errorf("of 9 positions two threads take %d and %d", len(first), len(second))
	}
}

// A position that cancel counts has no final answer, and one that has been answered is not counted.
func TestCancelAtTheEnd(t *testing.T) {
	answers, cancelled := 0, 0
	var e *engine
	e = newEngine(Config{Search: mcts.MatchConfig(), Memory: 20 * nodeBytes}, func(any) {
		answers++
		cancelled += e.cancel("", true)
	})
	e.add(t.Context(), []*job{{query: &Query{}, game: game.New(), visits: 1}})
	j := e.take(t.Context(), nil, 1)[0]
	j.visits = 0 // it is over at once
	e.advance(j, &gather.Leaves{})
	if answers != 1 || cancelled != 0 {
		t.Errorf("%d answers, %d cancelled", answers, cancelled)
	}
}

// A query's seconds end its search, and an interval has one partial answer.
func TestTimesOfAQuery(t *testing.T) {
	partial := 0
	c := Config{Search: mcts.MatchConfig(), Network: &eval.Network{Backend: eval.Uniform{}}, Memory: 20 * nodeBytes}
	e := newEngine(c, func(a any) {
		if a.(*Answer).Partial {
			partial++
		}
	})
	stream, err := c.Network.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	hour := 3600.0
	j := &job{query: &Query{Seconds: &hour, Report: &hour}, game: game.New(), visits: 20}
	e.begin(j)
	now := time.Now()
	j.next = now.Add(-time.Second)
	var leaves gather.Leaves
	for range 10 {
		if !e.advance(j, &leaves) {
			t.Fatal("the search has ended")
		}
		if err := leaves.Evaluate(stream); err != nil {
			t.Fatal(err)
		}
		leaves.Return()
	}
	if partial != 1 || !j.over(now.Add(2*time.Hour)) {
		t.Errorf("an interval has %d partial answers; two hours later its end is %t", partial, j.over(now.Add(2*time.Hour)))
	}
}

// Whatever a line is, its answers are JSON, and it has one at least.
func FuzzQuery(f *testing.F) {
	for _, line := range []string{
		`{"id":"a","position":"` + opening + `","visits":2,"steps":3,"priors":true}`, `{"id":"a","action":"network"}`, `{"action":"cancel_all"}`,
		`{"id":"a","moves":"1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ha2 Db2 Cc2 Ed2 Me2 Cf2 Dg2 Hh2\n","turns":[0,1],"visits":1}`,
		`{"id":"a","seconds":0.001,"report":0.01,"priority":3}`, `{"id":1}`, `{"id":"a","turns":[]}`, "\x00",
	} {
		f.Add([]byte(line))
	}
	c := Config{Search: mcts.MatchConfig(), Network: &eval.Network{Backend: eval.Uniform{}}, Visits: 2, Threads: 1, Memory: 20 * nodeBytes}
	f.Fuzz(func(t *testing.T, line []byte) {
		var out bytes.Buffer
		e := newEngine(c, (&writer{out: &out, stop: func(err error) { t.Fatal(err) }}).send)
		e.ask(t.Context(), line)
		e.close()
		asked := len(e.queue.waiting)
		if err := e.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := 0
		for answer := range bytes.Lines(out.Bytes()) {
			if n++; !json.Valid(answer) {
				t.Errorf("%q is no JSON", answer)
			}
		}
		if n < asked || n == 0 {
			t.Errorf("%d answers, %d positions", n, asked)
		}
	})
}
