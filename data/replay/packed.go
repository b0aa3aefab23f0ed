package replay

import (
	"bytes"
	"encoding/binary"
	"math"

	"warren/data"
	"warren/game"
)

// packed is the part of a record that sampling needs. It never changes, so samples can be made from
// it without the window's lock.
type packed struct {
	key     key
	actions []game.Action
	// plies[i] is the index in actions of position i, and targets[offsets[i]:] begins with its
	// target.
	plies   []uint16
	offsets []uint32
	targets []byte
	result  game.Result
	// lead is the difference in pieces at the end, Gold's less Silver's, and leadWeight its share in
	// the outcome. It is set only if that is not 0.
	lead       int
	leadWeight float32
	setup      int32 // Gold's chance after the setups: see setupChance
}

// pack packs the decisions of a record that are positions to train on with the window's value target.
func pack(r *data.Record, k key, target valueTarget) *packed {
	n := 0
	for i := range r.Decisions {
		if teaches(&r.Decisions[i], r.Result) {
			n++
		}
	}
	p := &packed{
		key:     k,
		actions: make([]game.Action, len(r.Decisions)),
		plies:   make([]uint16, 0, n),
		offsets: make([]uint32, 0, n),
		result:  r.Result,
		setup:   setupChance(r),
	}
	if p.leadWeight = target.leadWeight(r.Game); p.leadWeight > 0 {
		p.lead = finalLead(r)
	}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		p.actions[i] = d.Action
		if teaches(d, r.Result) {
			p.plies = append(p.plies, uint16(i))
			p.offsets = append(p.offsets, uint32(len(p.targets)))
			p.targets = appendTarget(p.targets, d)
		}
	}
	p.targets = bytes.Clone(p.targets[:len(p.targets):len(p.targets)])
	return p
}

// policyWeight returns the policy weight of position i.
func (p *packed) policyWeight(i int) float32 {
	target := p.targets[p.offsets[i]:]
	switch {
	case target[0]&policyOne != 0:
		return 1
	case target[0]&policyOther != 0:
		return math.Float32frombits(binary.LittleEndian.Uint32(target[5:])) // after the flags and the root value
	}
	return 0
}

// Flags of a packed target. Without surprise weighting the usual weights are flags, so they need no space.
const (
	policyOne   = 1 << iota // the policy weight is 1; without a flag it is 0
	policyOther             // the policy weight follows
	valueOther              // the value weight follows; without the flag it is 1
	shares                  // the policy target is shares; without the flag it is visits
	drawn                   // the action was drawn from the policy, and its target is that of setupPolicy
)

// appendTarget appends the targets of d: flags, the root value, the weights that the flags do not
// give, and the policy target. The policy target is the number of actions, then for each action the
// difference from the one before (from 0 for the first) and its share or visits. Floats are 4 bytes,
// other numbers varints.
func appendTarget(b []byte, d *data.Decision) []byte {
	var flags byte
	switch d.PolicyWeight {
	case 0:
	case 1:
		flags |= policyOne
	default:
		flags |= policyOther
	}
	if d.ValueWeight != 1 {
		flags |= valueOther
	}
	if len(d.Policy) > 0 {
		flags |= shares
	}
	if d.Drawn() {
		flags |= drawn
	}
	b = appendFloat(append(b, flags), d.Value)
	if flags&policyOther != 0 {
		b = appendFloat(b, d.PolicyWeight)
	}
	if flags&valueOther != 0 {
		b = appendFloat(b, d.ValueWeight)
	}
	// The actions ascend, so the differences are small, nearly always one byte.
	var last game.Action
	if flags&shares != 0 {
		b = binary.AppendUvarint(b, uint64(len(d.Policy)))
		for _, s := range d.Policy {
			b = appendFloat(binary.AppendUvarint(b, uint64(s.Action-last)), s.Share)
			last = s.Action
		}
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(d.Visits)))
	for _, v := range d.Visits {
		b = binary.AppendUvarint(b, uint64(v.Action-last))
		b = binary.AppendUvarint(b, uint64(v.Count))
		last = v.Action
	}
	return b
}

// decodeTarget sets d to the target at the beginning of b, as appendTarget wrote it. Action and Full
// are unchanged. Visits and Policy are reused, and one of them is left empty.
func decodeTarget(b []byte, d *data.Decision) {
	float := func() float32 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return v
	}
	varint := func() uint64 {
		v, size := binary.Uvarint(b)
		b = b[size:]
		return v
	}
	flags := b[0]
	b = b[1:]
	d.Value, d.PolicyWeight, d.ValueWeight = float(), 0, 1
	switch {
	case flags&policyOne != 0:
		d.PolicyWeight = 1
	case flags&policyOther != 0:
		d.PolicyWeight = float()
	}
	if flags&valueOther != 0 {
		d.ValueWeight = float()
	}
	d.Visits, d.Policy = d.Visits[:0], d.Policy[:0]
	var a game.Action
	for range varint() {
		a += game.Action(varint())
		if flags&shares != 0 {
			d.Policy = append(d.Policy, data.Share{Action: a, Share: float()})
		} else {
			d.Visits = append(d.Visits, data.Visit{Action: a, Count: uint32(varint())})
		}
	}
}

// drawn reports whether the action of position i is a placement that was drawn from the policy.
func (p *packed) drawn(i int) bool { return p.targets[p.offsets[i]]&drawn != 0 }

// rootValue returns the root value of position i.
func (p *packed) rootValue(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(p.targets[p.offsets[i]+1:])) // after the flags
}

func appendFloat(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}
