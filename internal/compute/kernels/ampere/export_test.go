package ampere

func (n Network) File() string { return n.file() }
