package rating

// groups are the players that games connect, directly or through others.
type groups struct {
	of      []int // group by player
	members [][]int
}

// newGroups finds the groups of a number of players.
func newGroups(meetings []meeting, players int) *groups {
	parent := make([]int, players)
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, m := range meetings {
		parent[root(m.a)] = root(m.b)
	}
	g := &groups{of: make([]int, players)}
	number := make(map[int]int)
	for i := range players {
		k, ok := number[root(i)]
		if !ok {
			k = len(g.members)
			number[root(i)] = k
			g.members = append(g.members, nil)
		}
		g.of[i] = k
		g.members[k] = append(g.members[k], i)
	}
	return g
}
