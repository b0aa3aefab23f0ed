package analysis

import "container/heap"

// longestQueue is how many positions wait at most. While there are as many, no more lines are read.
const longestQueue = 1 << 14

// queue holds the positions that wait, those of the highest priority first, and knows those that are
// searched.
type queue struct {
	waiting jobs
	active  map[*job]bool
	count   int // jobs that ever came
	most    int // jobs that wait, at most
}

// jobs implements heap.Interface.
type jobs []*job

func (q jobs) Len() int { return len(q) }
func (q jobs) Less(i, j int) bool {
	if a, b := q[i].query.Priority, q[j].query.Priority; a != b {
		return a > b
	}
	return q[i].order < q[j].order
}
func (q jobs) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *jobs) Push(x any)   { *q = append(*q, x.(*job)) }
func (q *jobs) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}

func (q *queue) full() bool { return len(q.waiting) >= q.most }

func (q *queue) add(j *job) {
	q.count++
	j.order = q.count
	heap.Push(&q.waiting, j)
}

// first returns the job to begin next, or nil.
func (q *queue) first() *job {
	if len(q.waiting) == 0 {
		return nil
	}
	return q.waiting[0]
}

// remove begins the first job.
func (q *queue) remove() {
	if q.active == nil {
		q.active = map[*job]bool{}
	}
	q.active[heap.Pop(&q.waiting).(*job)] = true
}

// forget removes a job that has been begun.
func (q *queue) forget(j *job) { delete(q.active, j) }

// cancel removes the waiting jobs that f accepts, marks those that are searched, and returns how many
// there were.
func (q *queue) cancel(f func(*job) bool) (n int) {
	var rest jobs
	for _, j := range q.waiting {
		if f(j) {
			n++
		} else {
			rest = append(rest, j)
		}
	}
	q.waiting = rest
	heap.Init(&q.waiting)
	for j := range q.active {
		if !j.cancelled.Load() && f(j) {
			j.cancelled.Store(true)
			n++
		}
	}
	return n
}
