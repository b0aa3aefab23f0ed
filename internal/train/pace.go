package train

import (
	"time"

	"warren/internal/recipe"
)

// pace tells how much time a run has left that ends by its generations: from the mean time of those that this process
// has made but its first, most of which an earlier process may have made, and which in a new run plays without a
// network. What is done of such a run grows only while it learns, so its growth over some seconds tells nothing.
type pace struct {
	clock  func() time.Duration // of the wall, whatever loop.clock says
	began  time.Duration        // reading when this process had made its first generation
	newest time.Duration        // when it made its newest
	made   int                  // generations after the first, -1 before it
}

func newPace() pace { return pace{clock: newClock(recipe.WallClock), made: -1} }

// generation counts one that has just been made.
func (p *pace) generation() {
	p.newest = p.clock()
	if p.made++; p.made == 0 {
		p.began = p.newest
	}
}

// left estimates the time that some generations take, of which the first has begun when the newest was made. It is below
// 0 if it is not known: before the second of this process, or if the last takes longer than the mean.
func (p *pace) left(generations int) time.Duration {
	if p.made < 1 {
		return -1
	}
	each := (p.newest - p.began) / time.Duration(p.made)
	if left := each*time.Duration(generations) - (p.clock() - p.newest); left > 0 {
		return left
	}
	return -1
}
