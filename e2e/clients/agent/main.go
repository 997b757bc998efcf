// A node's agent made of the streaming server that kubelets are made of: logs that come as they are written, commands that
// give back what they are told, ports that echo.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/kubelet/pkg/cri/streaming/portforward"
	streaming "k8s.io/kubelet/pkg/cri/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const patience = 30 * time.Second

type runtime struct{}

func (runtime) ExecInContainer(_ context.Context, name string, _ types.UID, container string, cmd []string, in io.Reader, out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	fmt.Fprintf(out, "%s in %s of %s tty=%v\n", strings.Join(cmd, " "), container, name, tty)
	if err != nil {
		fmt.Fprintln(err, "to errors")
	}
	if in != nil {
		io.Copy(out, in)
	}
	code, _ := strconv.Atoi(cmd[len(cmd)-1])
	if code != 0 {
		return utilexec.CodeExitError{Err: fmt.Errorf("exit status %d", code), Code: code}
	}
	return nil
}

func (r runtime) AttachContainer(ctx context.Context, name string, uid types.UID, container string, in io.Reader, out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	return r.ExecInContainer(ctx, name, uid, container, []string{"attached", "0"}, in, out, err, tty, resize, 0)
}

func (runtime) PortForward(_ context.Context, _ string, _ types.UID, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	fmt.Fprintf(stream, "port %d\n", port)
	_, err := io.Copy(stream, stream)
	return err
}

func flag(query map[string][]string, name string) bool {
	return len(query[name]) > 0 && query[name][0] == "1"
}

func serve(w http.ResponseWriter, request *http.Request) {
	parts := strings.Split(strings.TrimPrefix(request.URL.Path, "/"), "/")
	query := request.URL.Query()
	options := &streaming.Options{Stdin: flag(query, "input"), Stdout: flag(query, "output"), Stderr: flag(query, "error") && !flag(query, "tty"), TTY: flag(query, "tty")}
	protocols := []string{"v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"}
	switch {
	case parts[0] == "exec" && len(parts) == 4:
		streaming.ServeExec(w, request, runtime{}, parts[2], "", parts[3], query["command"], options, patience, patience, protocols)
	case parts[0] == "attach" && len(parts) == 4:
		streaming.ServeAttach(w, request, runtime{}, parts[2], "", parts[3], options, patience, patience, protocols)
	case parts[0] == "portForward" && len(parts) == 3:
		ports, err := portforward.NewV4Options(request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		portforward.ServePortForward(w, request, runtime{}, parts[2], "", ports, patience, patience, portforward.SupportedProtocols)
	default:
		http.NotFound(w, request)
	}
}

// Arguments: serving certificate, its key, the certificates of clients' authorities.
func main() {
	pair, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	ca, err := os.ReadFile(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(ca)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	config := &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}
	log.Fatal(http.Serve(tls.NewListener(listener, config), http.HandlerFunc(serve)))
}
