// Command endpointslices answers for each line of its input, a service with its pods, nodes and slices, what the
// reference's own module would write: one line of JSON each.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/endpointslice"
	"k8s.io/endpointslice/topologycache"
	endpointsliceutil "k8s.io/endpointslice/util"
	"k8s.io/klog/v2"
)

type question struct {
	Service corev1.Service               `json:"service"`
	Pods    []*corev1.Pod                `json:"pods"`
	Nodes   []*corev1.Node               `json:"nodes"`
	Slices  []*discoveryv1.EndpointSlice `json:"slices"`
	Max     int32                        `json:"max"`
}

type answer struct {
	Created []json.RawMessage `json:"created"`
	Updated []json.RawMessage `json:"updated"`
	Deleted []string          `json:"deleted"`
	Events  []string          `json:"events"`
}

// transport answers every write by what was written, and keeps it.
type transport struct{ answer answer }

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
	}
	switch request.Method {
	case http.MethodPost:
		t.answer.Created = append(t.answer.Created, body)
	case http.MethodPut:
		t.answer.Updated = append(t.answer.Updated, body)
	case http.MethodDelete:
		t.answer.Deleted = append(t.answer.Deleted, path.Base(request.URL.Path))
		body = []byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": []string{"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(body)),
		Request:    request,
	}, nil
}

func reconcile(asked question) (answer, error) {
	writes := &transport{}
	config := &rest.Config{Host: "http://reference.invalid", QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	client, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: writes})
	if err != nil {
		return answer{}, err
	}
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, node := range asked.Nodes {
		if err := nodes.Add(node); err != nil {
			return answer{}, err
		}
	}
	events := record.NewFakeRecorder(100)
	topology := topologycache.NewTopologyCache()
	topology.SetNodes(klog.Background(), asked.Nodes)
	reconciler := endpointslice.NewReconciler(client, corelisters.NewNodeLister(nodes), asked.Max,
		endpointsliceutil.NewEndpointSliceTracker(), topology, events, "endpointslice-controller.k8s.io",
		endpointslice.WithTrafficDistributionEnabled(true))
	// An error tells of pods whose node is not there; what is written is asked for.
	_ = reconciler.Reconcile(klog.Background(), &asked.Service, asked.Pods, asked.Slices, time.Time{})
	close(events.Events)
	for event := range events.Events {
		writes.answer.Events = append(writes.answer.Events, event)
	}
	return writes.answer, nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		err := json.Unmarshal(lines.Bytes(), &asked)
		if err == nil {
			var given answer
			if given, err = reconcile(asked); err == nil {
				err = out.Encode(given)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
