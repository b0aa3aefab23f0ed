package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"warren/data"
	"warren/game"
	"warren/internal/eval"
	"warren/internal/selfplay"
)

// hostile is a worker that speaks as it likes.
type hostile struct {
	*nats.Conn
	packer *packer
	site   *site
	name   string
	errs   chan error // what the server reproaches it with
}

// forbidden waits until the server has said that something was forbidden.
func (h *hostile) forbidden(t *testing.T, what string) {
	t.Helper()
	select {
	case err := <-h.errs:
		if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(what)) {
			t.Errorf("the server says %v, want %s", err, what)
		}
	case <-time.After(longest):
		t.Fatalf("%s: the server does not mind", what)
	}
}

func (s *site) hostile(t *testing.T, name string) *hostile {
	t.Helper()
	creds := s.add(t, name)
	secure, err := clientTLS(creds)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 64)
	conn, err := nats.Connect(s.server.URL(), nats.UserCredentialBytes(creds), nats.Secure(secure), nats.NoReconnect(), nats.Timeout(longest),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			select {
			case errs <- err:
			default: // nobody asks
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	return &hostile{conn, p, s, name, errs}
}

// lease takes numbers.
func (h *hostile) lease(t *testing.T, want int) reply {
	t.Helper()
	return h.ask(t, request{Want: want})
}

// ask sends a request as the worker.
func (h *hostile) ask(t *testing.T, r request) (answer reply) {
	t.Helper()
	r.Format, r.Record, r.Instance = Format, data.Version, h.name
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := h.Request(leaseSubject, content, longest)
	if err == nil {
		err = json.Unmarshal(m.Data, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// hand publishes a message as a game and waits until the stream has it.
func (h *hostile) hand(t *testing.T, message []byte) {
	t.Helper()
	m, err := h.Request(gameSubject, message, longest)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(m.Data), `"stream":"games"`) {
		t.Fatalf("the stream says %s", m.Data)
	}
}

func (h *hostile) pack(t *testing.T, r *data.Record) []byte {
	t.Helper()
	r.ID = data.Hash{}
	message, err := h.packer.pack(r)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// honestGame plays a game as an honest worker does.
func honestGame(t testing.TB, job selfplay.Job, number uint64) *data.Record {
	t.Helper()
	r, err := selfplay.Again(context.Background(), job, number, eval.Untrained())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Whatever is wrong with a game, it is refused by its reason, and the honest worker's games count.
func TestWhatIsWrongIsRefused(t *testing.T) {
	job := testJob()
	s := newSite(t, job, nil)
	honest := s.dial(t, "honest", "")
	play(t, honest)
	h := s.hostile(t, "hostile")
	numbers := h.lease(t, 8)
	if numbers.Count != 8 {
		t.Fatalf("the lease has %d numbers", numbers.Count)
	}
	next := numbers.First
	good := func() *data.Record {
		next++
		return honestGame(t, job, next-1)
	}
	changed := func(change func(r *data.Record)) []byte {
		r := *good()
		r.Decisions = slices.Clone(r.Decisions)
		next-- // the number is not used up
		change(&r)
		return h.pack(t, &r)
	}
	used := good()
	h.hand(t, h.pack(t, used))
	s.store.until(t, "the good game", func(games map[data.Hash]*data.Record) bool { return games[used.Hash()] != nil })

	for want, message := range map[string][]byte{
		"damaged":           []byte("this is no game"),
		"against the rules": changed(func(r *data.Record) { r.Decisions[3].Action = 256 }),
		"unknown network":   changed(func(r *data.Record) { r.Network = strings.Repeat("0", 64) }),
		"unknown settings":  changed(func(r *data.Record) { r.Settings = "others" }),
		"impossible": changed(func(r *data.Record) {
			i := slices.IndexFunc(r.Decisions, func(d data.Decision) bool { return d.Searched() })
			r.Decisions[i].ValueWeight = 0.5
		}),
		// The number is asked for before the game is played by the rules.
		"number not leased":  changed(func(r *data.Record) { r.Game, r.Decisions[3].Action = 1<<40, 256 }),
		"number used before": changed(func(r *data.Record) { r.Game, r.Decisions[3].Action = used.Game, 256 }),
	} {
		h.hand(t, message)
		s.await(t, func() bool { return s.activity("hostile").Refused[want] == 1 })
	}
	// Games with many bytes that unpack to many more, and the honest worker's number.
	h.hand(t, h.packer.out.EncodeAll(make([]byte, 64<<20), nil))
	s.await(t, func() bool { return s.activity("hostile").Refused["damaged"] == 2 })
	x := s.activity("hostile")
	if x.Games != 1 || x.refused() != 8 {
		t.Errorf("%+v", x)
	}
	before := s.activity("honest").Games
	s.await(t, func() bool { return s.activity("honest").Games > before+4 })
	if x := s.activity("honest"); x.refused() != 0 {
		t.Errorf("games of the honest worker were refused: %+v", x)
	}
}

// A worker that continues sending rubbish is cut off.
func TestTooMuchRubbishCutsOff(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h := s.hostile(t, "hostile")
	for i := range refusals + 50 {
		if err := h.Publish(gameSubject, fmt.Append(nil, "rubbish ", i)); err != nil {
			break
		}
	}
	s.await(t, func() bool { return !h.IsConnected() })
	if s.workers.of(s.workerAccountOf(t, "hostile")) != nil {
		t.Error("the worker is still known")
	}
}

// before is a store that has games with some numbers from an earlier process.
type before struct {
	*memory
	numbers []uint64
}

func (p *before) Played(number uint64) bool { return slices.Contains(p.numbers, number) }

// A number that an earlier process has played is used, even if its lease does not say so.
func TestNumberOfAnEarlierProcess(t *testing.T) {
	store := &before{memory: newMemory()}
	s := newSiteOf(t, testJob(), store, nil)
	h := s.hostile(t, "worker")
	first := h.lease(t, 2).First
	store.numbers = []uint64{first}
	for i := range uint64(2) {
		h.hand(t, h.pack(t, honestGame(t, testJob(), first+i)))
	}
	s.await(t, func() bool {
		x := s.activity("worker")
		return x.Games+x.refused() == 2
	})
	if x := s.activity("worker"); x.Games != 1 || x.Refused["number used before"] != 1 {
		t.Errorf("%+v", x)
	}
	if n := s.leases.playing(time.Now()); n != 1 { // neither game is still arriving
		t.Errorf("%d numbers are being played, want the one that was used", n)
	}
}

// unaware is a store that does not know which numbers it has until a game is kept, as when two come at the same time.
type unaware struct{ *memory }

func (unaware) Played(uint64) bool { return false }

// Of two games with one number that come at the same time, one counts, and its worker is told so of the other.
func TestTwoGamesWithOneNumber(t *testing.T) {
	s := newSiteOf(t, testJob(), unaware{newMemory()}, nil)
	h := s.hostile(t, "worker")
	r := honestGame(t, testJob(), h.lease(t, 1).First)
	fates := ""
	for _, path := range []string{r.EvalPath, "other"} {
		r.EvalPath = path
		h.hand(t, h.pack(t, r))
		list := []handedIn{{r.Hash().String(), 0}}
		s.await(t, func() bool {
			answer := h.ask(t, request{HandedIn: list})
			if answer.Fates != string(inShard) && answer.Fates != string(refusedGame) {
				return false
			}
			fates += answer.Fates
			return true
		})
	}
	if x := s.activity("worker"); fates != "sr" || x.Games != 1 || x.Refused["number used before"] != 1 || s.leases.playing(time.Now()) != 0 {
		t.Errorf("what became of them is %q; %+v", fates, x)
	}
}

func (s *site) workerAccountOf(t *testing.T, name string) string {
	t.Helper()
	c, err := s.keys.load(name)
	if err != nil {
		t.Fatal(err)
	}
	return c.Account
}

// A game with a legal course, possible statistics and a leased number, but not the one that is
// played from its seed, is found out when it is played again.
func TestInventedGamesAreFoundOut(t *testing.T) {
	job := testJob()
	s := newSite(t, job, func(o *Options) { o.Sample = 1 })
	h := s.hostile(t, "hostile")
	first := h.lease(t, 1).First
	invented := &data.Record{}
	for other := first + 1000; job.Check(invented) != nil; other++ { // until both numbers give openings of one length
		invented = honestGame(t, job, other)
		invented.Game = first
	}
	// The stream's answer is not waited for: the worker may be cut off before it comes.
	if err := h.Publish(gameSubject, h.pack(t, invented)); err != nil {
		t.Fatal(err)
	}
	s.removed(t, fmt.Sprintf("game %d is not", first))
	s.await(t, func() bool { return !h.IsConnected() })
}

// So is a game whose number gives another setup, and in which nothing else is wrong: two pieces have changed places
// that the policy and the number had put elsewhere.
func TestInventedSetupsAreFoundOut(t *testing.T) {
	job := testJob()
	s := newSite(t, job, func(o *Options) { o.Sample = 1 })
	h := s.hostile(t, "hostile")
	first := h.lease(t, 8).First
	invented := func() *data.Record {
		for number := first; number < first+8; number++ {
			for i := range game.Placements / 2 {
				for j := range i {
					r := *honestGame(t, job, number)
					r.Decisions = slices.Clone(r.Decisions)
					a, b := &r.Decisions[i], &r.Decisions[j]
					if r.Opening > 0 || a.Action == b.Action || !a.Drawn() || !b.Drawn() {
						continue
					}
					if *a, *b = *b, *a; r.Validate() == nil && job.Check(&r) == nil {
						return &r
					}
				}
			}
		}
		t.Fatal("no game remains legal with another setup")
		return nil
	}()
	if err := h.Publish(gameSubject, h.pack(t, invented)); err != nil {
		t.Fatal(err)
	}
	s.removed(t, fmt.Sprintf("game %d is not", invented.Game))
}

// A game is replayed too if its network is not kept for the workers any more.
func TestInventedGamesOfOldNetworksAreFoundOut(t *testing.T) {
	job, old := testJob(), saved(t, 1)
	s := newSite(t, job, func(o *Options) {
		o.Sample, o.Saved = 1, func(int) string { return old.Origin.Path }
	})
	s.known.addNetwork(current{Hash: old.Hash, Generation: 1})
	h := s.hostile(t, "hostile")
	invented := honestGame(t, job, h.lease(t, 1).First)
	invented.Network, invented.Generation, invented.EvalPath = old.Hash, 1, old.Attributes().Path
	if err := h.Publish(gameSubject, h.pack(t, invented)); err != nil {
		t.Fatal(err)
	}
	s.removed(t, fmt.Sprintf("game %d is not", invented.Game))
}

// A worker reaches nothing but its own games, numbers, networks and settings.
func TestWorkerReachesNothingElse(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h := s.hostile(t, "hostile")
	s.hostile(t, "victim")
	victim := s.workerAccountOf(t, "victim")
	for _, subject := range []string{
		gameSubject + "." + victim, leaseSubject + "." + victim, gameSubject + "." + s.workerAccountOf(t, "hostile"),
		"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.DELETE.games", "$JS.API.STREAM.PURGE.games",
		"$JS.API.STREAM.MSG.GET.games", "$JS.API.STREAM.MSG.GET.KV_warren",
		"$JS.API.CONSUMER.CREATE.KV_warren", "$JS.API.CONSUMER.CREATE.OBJ_networks", "$JS.API.CONSUMER.CREATE.games",
		"$KV.warren.job", "$O.networks.M.x", "$JS.ACK.games.learner.1.1.1.1.1",
		"$SYS.REQ.SERVER.PING", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.USER.INFO", "warren.other",
	} {
		if err := h.Publish(subject, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		h.forbidden(t, `Permissions Violation for Publish to "`+subject)
	}
	for _, subject := range []string{">", "warren.>", "$SYS.>", "$JS.>", "_R_.>", "$KV.>"} {
		if _, err := h.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		h.forbidden(t, `Permissions Violation for Subscription to "`+subject)
	}
	// An answer goes to the account that asked, whatever address it gives: not into another's games.
	if err := h.PublishRequest(gameSubject, gameSubject+"."+victim, []byte("rubbish")); err != nil {
		t.Fatal(err)
	}
	if err := h.PublishRequest(leaseSubject, gameSubject+"."+victim, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	s.await(t, func() bool {
		x := s.activity("hostile")
		return x.refused() == 1
	})
	h.lease(t, 1) // so the answer to the request before has gone where it goes
	h.hand(t, []byte("rubbish"))
	s.await(t, func() bool {
		x := s.activity("hostile")
		return x.refused() == 2
	})
	if x := s.activity("victim"); x.refused() > 0 || x.Games > 0 {
		t.Errorf("the victim is charged with %+v", x)
	}
}

// Any worker can tell the hash of a game that another is about to hand in: a game is a function of what all
// know. It cannot have that game taken for a repeated message.
func TestAnothersGameIsNoRepetition(t *testing.T) {
	s := newSite(t, testJob(), nil)
	victim, h := s.dial(t, "victim", ""), s.hostile(t, "hostile")
	given, err := victim.request(t.Context(), request{Want: 1})
	if err != nil || given.Count != 1 {
		t.Fatalf("%+v, %v", given, err)
	}
	r := honestGame(t, testJob(), given.First)
	for _, id := range []string{r.Hash().String(), fmt.Sprint(r.Hash(), ".0"), fmt.Sprint(h.name, ".", r.Hash(), ".0")} {
		m := nats.NewMsg(gameSubject)
		m.Header.Set(nats.MsgIdHdr, id)
		if _, err := h.RequestMsg(m, longest); err != nil {
			t.Fatal(err)
		}
	}
	if err := victim.spool.Put(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	victim.Flush(t.Context())
	s.store.until(t, "the victim's game", func(games map[data.Hash]*data.Record) bool { return games[r.Hash()] != nil })
}

func TestWithoutACredentialThereIsNothing(t *testing.T) {
	s := newSite(t, testJob(), nil)
	authority, err := s.keys.Authority()
	if err != nil {
		t.Fatal(err)
	}
	secure, err := clientTLS(authority)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := nats.Connect(s.server.URL(), nats.Secure(secure)); err == nil {
		c.Close()
		t.Error("a connection without a credential is accepted")
	}
	if c, err := nats.Connect(s.server.URL()); err == nil {
		c.Close()
		t.Error("a connection without a credential and without the authority is accepted")
	}
}

// Connections beyond those of a credential are refused, and messages beyond the largest game too.
func TestLimitsOfACredential(t *testing.T) {
	s := newSite(t, testJob(), nil)
	creds := s.add(t, "a")
	secure, err := clientTLS(creds)
	if err != nil {
		t.Fatal(err)
	}
	connected := 0
	for range 5 {
		c, err := nats.Connect(s.server.URL(), nats.UserCredentialBytes(creds), nats.Secure(secure), nats.NoReconnect(), nats.Timeout(longest))
		if err == nil {
			defer c.Close()
			connected++
		}
	}
	if connected != 2 {
		t.Errorf("%d connections, want 2", connected)
	}
	h := s.hostile(t, "b")
	// The library refuses by itself once the server has told it the limit of the credential. Otherwise
	// the server hangs up, perhaps half way through.
	if err := h.Publish(gameSubject, make([]byte, maxGame+8192)); !errors.Is(err, nats.ErrMaxPayload) {
		s.await(t, func() bool { return !h.IsConnected() })
	}
}

// A message is refused, or is a game that is packed and unpacked again as the same.
func FuzzMessage(f *testing.F) {
	p, err := newPacker()
	if err != nil {
		f.Fatal(err)
	}
	good, err := p.pack(honestGame(f, testJob(), 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	f.Fuzz(func(t *testing.T, message []byte) {
		r, err := p.unpack(message)
		if err != nil {
			return
		}
		_ = r.Validate()
		packed, err := p.pack(r)
		if errors.Is(err, errTooLarge) {
			return // it came better compressed
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, err := p.unpack(packed); err != nil || again.ID != r.ID {
			t.Errorf("game %d is packed and unpacked as another: %v", r.Game, err)
		}
	})
}

// Rubbish of all kinds, many times: changed bytes of packed games, of plain ones, and of requests with
// the result of a match. A million take some minutes:
//
//	go test ./internal/hub -run MadeByChance -messages 1000000 -v -timeout 60m
func TestMessagesMadeByChance(t *testing.T) {
	s := newSite(t, testJob(), nil)
	s.store.mu.Lock()
	s.store.room = 0 // no leases, which take a while
	s.store.mu.Unlock()
	s.add(t, "hostile")
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	plain, err := honestGame(t, testJob(), 1).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := s.workers.of(s.workerAccountOf(t, "hostile"))
	fixture, played := atRandom(t, 3)
	asked, err := json.Marshal(request{Format: Format, Record: data.Version, Instance: "x", Want: 3, Seats: 2,
		Result: &matchResult{ID: 5, Actions: played.Actions}})
	if err != nil {
		t.Fatal(err)
	}
	games, requests := 0, 0
	try := []func(m []byte){
		func(m []byte) {
			var r data.Record
			if r.UnmarshalBinary(m) == nil && r.Validate() == nil {
				games++
			}
		},
		func(m []byte) {
			if r, err := p.unpack(m); err == nil && r.Validate() == nil {
				games++
			}
		},
		func(m []byte) {
			w.mu.Lock()
			w.done.Refused = nil // or it would be removed
			w.mu.Unlock()
			s.matches.mu.Lock()
			s.matches.open = []*openGame{{fixture: fixture, message: &matchGame{ID: 5}, account: w.Account, done: make(chan struct{})}}
			s.matches.mu.Unlock()
			if r := s.reply(t.Context(), &nats.Msg{Subject: leaseSubject + "." + w.Account, Data: m}, s.store); r.Error == "" {
				requests++
			}
		},
	}
	bases := [][]byte{plain, p.out.EncodeAll(append([]byte(heading), plain...), nil), asked}
	for i := range *messages {
		m := slices.Clone(bases[i%3])
		for range 1 + rng.IntN(4) {
			m[rng.IntN(len(m))] ^= byte(1 << rng.IntN(8))
		}
		m = m[:len(m)-rng.IntN(2)*rng.IntN(len(m))]
		try[i%3](m)
	}
	t.Logf("%d messages and no panic: %d are valid games, %d requests that can be answered", *messages, games, requests)
}

// The numbers that a worker gets count towards its rate.
func TestNumbersOfARate(t *testing.T) {
	s := newSite(t, testJob(), func(o *Options) { o.rate = 1e-6 })
	n := s.hostile(t, "a").lease(t, 10).Count
	if left := s.workers.of(s.workerAccountOf(t, "a")).allowance(time.Now()); n != 10 || left != most-10 {
		t.Errorf("after %d numbers it may take %d more, want %d", n, left, most-10)
	}
}

// A worker that asks for ten times the numbers that it may, and sends the same games and those of
// another again and again, changes nothing for the other.
func TestTenTimesTheRate(t *testing.T) {
	s := newSite(t, testJob(), func(o *Options) { o.rate, o.PerWorker = 20, 100 })
	honest := s.dial(t, "honest", "")
	stop := play(t, honest)
	h := s.hostile(t, "hostile")
	first := h.lease(t, 64)
	given := first.Count
	for range 200 {
		given += h.lease(t, 64).Count
	}
	if given > 64 {
		t.Errorf("it got %d numbers without a game, and may hold 64", given)
	}
	s.store.until(t, "a game of the honest worker", func(games map[data.Hash]*data.Record) bool { return len(games) > 0 })
	var others []byte
	s.store.mu.Lock()
	for _, r := range s.store.games {
		others = h.pack(t, r)
		break
	}
	s.store.mu.Unlock()
	mine := h.pack(t, honestGame(t, testJob(), first.First))
	for i := range 4000 {
		message := mine
		if i%2 == 0 {
			message = others
		}
		if err := h.Publish(gameSubject, message); err != nil {
			t.Fatal(err)
		}
	}
	before := s.activity("honest").Games
	s.await(t, func() bool { return s.activity("honest").Games > before+20 })
	s.await(t, func() bool { return s.activity("hostile").Repeated > 0 })
	stop()
	honest.Flush(t.Context())
	s.await(t, func() bool {
		s.store.mu.Lock()
		defer s.store.mu.Unlock()
		return s.activity("honest").Games+s.activity("hostile").Games == len(s.store.games)
	})
	if x := s.activity("honest"); x.refused() > 0 || honest.Condition().Queue > 0 {
		t.Errorf("the honest worker: %+v", x)
	}
	if x := s.activity("hostile"); x.Games != 1 {
		t.Errorf("of the hostile worker %d games count: %+v", x.Games, x)
	}
}
