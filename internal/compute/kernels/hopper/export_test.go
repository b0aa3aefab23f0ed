package hopper

func (t Tower) File() string { return t.file() }

const OuterFile = outerFile
