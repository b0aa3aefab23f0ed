package train

import (
	"time"

	"warren/internal/recipe"
)

// pace tells how much time a run has left that ends by its generations: from the mean time of those that this process
// has made. What is done of such a run grows only while it learns, so its growth over some seconds tells nothing.
type pace struct {
	clock  func() time.Duration // of the wall, whatever loop.clock says
	began  time.Duration        // reading when the process began
	newest time.Duration        // when it made its newest generation
	made   int                  // generations that it made
}

func newPace() pace {
	clock := newClock(recipe.WallClock)
	now := clock()
	return pace{clock: clock, began: now, newest: now}
}

// generation counts one that has just been made.
func (p *pace) generation() { p.made, p.newest = p.made+1, p.clock() }

// left estimates the time that some generations take, of which the first has begun when the newest was made. It is below
// 0 if it is not known: before the first of this process, or if the last takes longer than the mean.
func (p *pace) left(generations int) time.Duration {
	if p.made == 0 {
		return -1
	}
	each := (p.newest - p.began) / time.Duration(p.made)
	if left := each*time.Duration(generations) - (p.clock() - p.newest); left > 0 {
		return left
	}
	return -1
}
