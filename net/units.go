package net

// Rectified is a layer followed by a ReLU whose result is read only by other layers. A unit, one of
// its outputs, can therefore be replaced without changing anything but the weights that read it.
// The trunk is not such a layer: its channels are sums over all blocks.
type Rectified struct {
	*Layer
	Readers []*Layer // that read the units; unit i is in every row r of their weights with r%Outputs = i
}

// Rectified returns the layers of this kind.
func (p *Program) Rectified() []Rectified {
	var all []Rectified
	for v := range Value(len(p.Ops)) {
		o := p.Op(v)
		if o.Activation != ReLU || o.RowBias != None || o.Residual != None {
			continue
		}
		if readers, only := p.layersOf(v); only {
			all = append(all, Rectified{p.Layer(v), readers})
		}
	}
	return all
}

// layersOf returns the layers that read a result, pooled or not. It reports false if the result is
// also used in another way.
func (p *Program) layersOf(v Value) (readers []*Layer, only bool) {
	for reader := v + 1; reader < Value(len(p.Ops)); reader++ {
		o := p.Op(reader)
		if o.RowBias == v || o.Residual == v {
			return nil, false
		}
		if o.X != v {
			continue
		}
		if o.Layer >= 0 {
			readers = append(readers, p.Layer(reader))
			continue
		}
		more, only := p.layersOf(reader)
		if !only {
			return nil, false
		}
		readers = append(readers, more...)
	}
	return readers, true
}
