package train

import "warren/net"

// finished says which network other commands take of a finished run, and which one plays its games if the gatekeeper has
// not accepted the newest.
func finished(run, playing string) (string, error) {
	newest, err := net.Newest(run)
	if err != nil {
		return "", err
	}
	text := "Finished. The newest network is " + newest
	if newest != playing {
		text += "\nIt has not passed the gatekeeper; the network that plays is " + playing
	}
	return text, nil
}
