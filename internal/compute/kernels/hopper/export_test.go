package hopper

func (t Tower) File() string { return t.file() }

const OuterFile = outerFile

func (c Chain) File() string { return c.file() }
