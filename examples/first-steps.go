// go run examples/first-steps.go
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	mathrand "math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	attempts = 5
	// long enough for the next minute; the caller handles longer waits, such as for the next day
	longestWait = 90 * time.Second
)

var (
	base   = os.Getenv("ANIMAL_STORE_URL")
	key    = os.Getenv("ANIMAL_STORE_KEY")
	client = http.Client{Timeout: 30 * time.Second}
)

// Pet is an animal. An int64 holds all digits that the contract allows.
type Pet struct {
	ID         int64  `json:"id,omitempty"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

// Failure is the body of every failure.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (f *Failure) Error() string { return fmt.Sprintf("%d %s: %s", f.Status, f.Code, f.Message) }

// call sends a request, reads the answer into result and returns its headers. If body is nil, it sends no body. It waits
// if the service asks for it, and never repeats a request that could add an animal twice.
func call(method, address string, body any, idempotencyKey string, result any) (http.Header, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	// a creation may have succeeded despite a 503, so it is repeated only with an Idempotency-Key
	repeatable := body == nil || idempotencyKey != ""
	for attempt := 0; ; attempt++ {
		request, err := http.NewRequest(method, address, bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+key)
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		if idempotencyKey != "" {
			request.Header.Set("Idempotency-Key", idempotencyKey)
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, fmt.Errorf("No answer from %s. Does the service run there?", base)
		}
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		// plus a random part, so that clients do not retry at the same moment
		jitter := time.Duration(100+mathrand.Intn(100)) * time.Millisecond << attempt
		wait := time.Duration(seconds)*time.Second + jitter
		passing := answer.StatusCode == 429 || answer.StatusCode == 503 && repeatable
		if passing && attempt < attempts-1 && wait <= longestWait {
			answer.Body.Close()
			time.Sleep(wait)
			continue
		}
		defer answer.Body.Close()
		if answer.StatusCode >= 400 {
			failure := &Failure{}
			if err := json.NewDecoder(answer.Body).Decode(failure); err != nil {
				return nil, err
			}
			return nil, failure
		}
		return answer.Header, json.NewDecoder(answer.Body).Decode(result)
	}
}

func main() {
	log.SetFlags(0)
	if key == "" {
		log.Fatal("Set ANIMAL_STORE_KEY to an API key.")
	}
	if base == "" {
		base = "http://127.0.0.1:8080/v1"
	}

	// with an Idempotency-Key, a creation can be sent again if its answer was lost
	creation := Pet{Name: "Rex", CategoryID: 9007199254740993, Status: "available"}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	idempotencyKey := fmt.Sprintf("%x", random)
	var added, again Pet
	if _, err := call("POST", base+"/pets", creation, idempotencyKey, &added); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Added animal %d of category %d.\n", added.ID, added.CategoryID)

	header, err := call("POST", base+"/pets", creation, idempotencyKey, &again)
	if err != nil {
		log.Fatal(err)
	}
	how := "added again"
	if header.Get("Idempotency-Replayed") == "true" {
		how = "replayed"
	}
	fmt.Printf("Sent again: animal %d, %s.\n", again.ID, how)

	pages, animals := 0, 0
	first := base + "/pets?status=available&limit=2"
	for address := first; address != ""; pages++ {
		var page []Pet
		header, err := call("GET", address, nil, "", &page)
		if err != nil {
			log.Fatal(err)
		}
		animals += len(page)
		address = ""
		if cursor := header.Get("X-Next-Cursor"); cursor != "" {
			address = first + "&cursor=" + cursor
		}
	}
	fmt.Printf("Found %d available animals on %d pages.\n", animals, pages)

	if _, err := call("POST", base+"/pets", Pet{CategoryID: 7, Status: "available"}, "", &again); err != nil {
		fmt.Printf("Refused: %v\n", err)
	}
}
