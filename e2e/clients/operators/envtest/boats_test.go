// A test of an operator as its author writes it: envtest starts the API server that KUBEBUILDER_ASSETS names, a reconciler
// runs against it, and the test waits for what the reconciler does.
package envtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var boatKind = schema.GroupVersionKind{Group: "harbor.example.com", Version: "v1", Kind: "Boat"}

func newBoat() *unstructured.Unstructured {
	boat := &unstructured.Unstructured{}
	boat.SetGroupVersionKind(boatKind)
	return boat
}

// A boat is ready once a config map of its name tells how many seats it has.
type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	boat := newBoat()
	if err := r.Get(ctx, request.NamespacedName, boat); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	seats, _, _ := unstructured.NestedInt64(boat.Object, "spec", "seats")
	plan := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: boat.GetName(), Namespace: boat.GetNamespace()}}
	plan.Data = map[string]string{"seats": fmt.Sprint(seats)}
	if err := r.Create(ctx, plan); err != nil && !apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(boat.Object, true, "status", "ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, boat)
}

func TestBoatsGetReady(t *testing.T) {
	crds := os.Getenv("CRDS")
	if crds == "" {
		crds = "crds"
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Clean(crds)}, ErrorIfCRDPathMissing: true}
	began := time.Now()
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("Start() took %d ms", time.Since(began).Milliseconds())
	t.Cleanup(func() {
		stopping := time.Now()
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
		t.Logf("Stop() took %d ms", time.Since(stopping).Milliseconds())
	})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	err = ctrl.NewControllerManagedBy(manager).For(newBoat()).Complete(reconciler{manager.GetClient()})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if err := manager.Start(ctx); err != nil {
			t.Error(err)
		}
	}()

	direct, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bare := newBoat()
	bare.SetName("bare")
	bare.SetNamespace("default")
	if err := direct.Create(ctx, bare); !apierrors.IsInvalid(err) {
		t.Fatalf("a boat without seats was answered with %v", err)
	}
	boat := newBoat()
	boat.SetName("swan")
	boat.SetNamespace("default")
	if err := unstructured.SetNestedField(boat.Object, int64(4), "spec", "seats"); err != nil {
		t.Fatal(err)
	}
	if err := direct.Create(ctx, boat); err != nil {
		t.Fatal(err)
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		err := direct.Get(ctx, client.ObjectKeyFromObject(boat), boat)
		ready, _, _ := unstructured.NestedBool(boat.Object, "status", "ready")
		return ready, err
	})
	if err != nil {
		t.Fatalf("the boat did not get ready: %v", err)
	}
	plan := &corev1.ConfigMap{}
	if err := direct.Get(ctx, client.ObjectKeyFromObject(boat), plan); err != nil || plan.Data["seats"] != "4" {
		t.Fatalf("its plan is %v, %v", plan.Data, err)
	}

	// A user with no rights, as tests of RBAC make one.
	user, err := environment.AddUser(envtest.User{Name: "visitor", Groups: []string{"visitors"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	visitor, err := client.New(user.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := visitor.Get(ctx, client.ObjectKeyFromObject(boat), newBoat()); !apierrors.IsForbidden(err) {
		t.Fatalf("a visitor was answered with %v", err)
	}
	if output, _, err := environment.ControlPlane.KubeCtl().Run("version"); os.Getenv("HAS_KUBECTL") != "" && err != nil {
		t.Fatalf("kubectl: %v: %v", err, output)
	}
}
