package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applyautoscaling "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedapps "k8s.io/client-go/kubernetes/typed/apps/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

// applying is what a controller does with its typed client: it applies, takes over, extracts, patches and deletes.
type applying struct {
	*kubernetes.Clientset
	ctx         context.Context
	namespace   string
	deployments typedapps.DeploymentInterface
	problems    []error
}

// writes are the trials of typed writes, with the name of each.
var writes = []struct {
	name string
	try  func(*applying)
}{
	{"typed apply", (*applying).apply},
	{"typed apply of what was extracted", (*applying).extract},
	{"typed apply of a status", (*applying).applyStatus},
	{"typed apply of a scale", (*applying).scale},
	{"typed apply of other kinds", (*applying).others},
	{"typed patches", (*applying).patches},
	{"typed deletions", (*applying).deletions},
	{"typed deletion of a collection", (*applying).collection},
}

// typedWrites leads objects of a namespace of their own through a trial, by a client of one encoding.
func (c *client) typedWrites(mediaType string, try func(*applying)) []error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	config := rest.CopyConfig(c.config)
	config.ContentType, config.AcceptContentTypes = mediaType, mediaType
	set, err := kubernetes.NewForConfig(config)
	if err != nil {
		return []error{err}
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "applies-"}}
	if namespace, err = set.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return []error{err}
	}
	a := &applying{Clientset: set, ctx: ctx, namespace: namespace.Name}
	a.deployments = set.AppsV1().Deployments(namespace.Name)
	try(a)
	return a.problems
}

func (a *applying) note(what string, err error) bool {
	if err != nil {
		a.problems = append(a.problems, fmt.Errorf("%s: %w", what, err))
	}
	return err == nil
}

func (a *applying) check(what string, holds bool, otherwise any) bool {
	if !holds {
		a.note(what, fmt.Errorf("%v", otherwise))
	}
	return holds
}

func (a *applying) deployment(image string) *applyapps.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "web"}
	container := applycore.Container().WithName("c").WithImage(image).
		WithPorts(applycore.ContainerPort().WithContainerPort(80)).
		WithEnv(applycore.EnvVar().WithName("A").WithValue("b"))
	return applyapps.Deployment("web", a.namespace).WithLabels(labels).WithSpec(applyapps.DeploymentSpec().
		WithReplicas(2).
		WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycore.PodTemplateSpec().WithLabels(labels).
			WithSpec(applycore.PodSpec().WithContainers(container))))
}

func by(manager string) metav1.ApplyOptions {
	return metav1.ApplyOptions{FieldManager: manager}
}

func (a *applying) made() *appsv1.Deployment {
	made, err := a.deployments.Apply(a.ctx, a.deployment("example.com/c:1"), by("one"))
	if !a.note("apply", err) {
		return nil
	}
	return made
}

func managers(object metav1.Object) (found []string) {
	for _, entry := range object.GetManagedFields() {
		found = append(found, strings.TrimSpace(fmt.Sprintf("%s %s %s", entry.Manager, entry.Operation, entry.Subresource)))
	}
	return found
}

// apply creates, changes nothing, conflicts, takes over by force and shares.
func (a *applying) apply() {
	first := a.made()
	if first == nil {
		return
	}
	a.check("owners", reflect.DeepEqual(managers(first), []string{"one Apply"}), managers(first))
	again, err := a.deployments.Apply(a.ctx, a.deployment("example.com/c:1"), by("one"))
	if a.note("apply again", err) {
		a.note("apply again", compare(again, first))
	}
	_, err = a.deployments.Apply(a.ctx, a.deployment("example.com/c:2"), by("two"))
	if a.check("apply of another value", apierrors.IsConflict(err), err) {
		cause, _ := apierrors.StatusCause(err, metav1.CauseTypeFieldManagerConflict)
		field := `.spec.template.spec.containers[name="c"].image`
		a.check("conflict", cause.Field == field && cause.Message == `conflict with "one"`, cause)
	}
	dry, err := a.deployments.Apply(a.ctx, a.deployment("example.com/c:2"),
		metav1.ApplyOptions{FieldManager: "two", Force: true, DryRun: []string{metav1.DryRunAll}})
	if a.note("dry run", err) {
		a.check("dry run", dry.Spec.Template.Spec.Containers[0].Image == "example.com/c:2", dry)
		live, err := a.deployments.Get(a.ctx, "web", metav1.GetOptions{})
		a.check("dry run", err == nil && live.ResourceVersion == first.ResourceVersion, "it was stored")
	}
	forced, err := a.deployments.Apply(a.ctx, a.deployment("example.com/c:2"), metav1.ApplyOptions{FieldManager: "two", Force: true})
	if a.note("apply by force", err) {
		a.check("owners", len(managers(forced)) == 2, managers(forced))
	}
	wrong := a.deployment("example.com/c:2").WithResourceVersion(first.ResourceVersion)
	_, err = a.deployments.Apply(a.ctx, wrong, metav1.ApplyOptions{FieldManager: "two", Force: true})
	a.check("apply to an old version", apierrors.IsConflict(err), err)
	_, err = a.deployments.Apply(a.ctx, a.deployment("x").WithUID("another"), by("two"))
	a.check("apply to another uid", apierrors.IsConflict(err) || apierrors.IsInvalid(err), err)
	_, err = a.deployments.Apply(a.ctx, a.deployment("x"), metav1.ApplyOptions{})
	a.check("apply by nobody", apierrors.IsInvalid(err), err)
}

// extract takes what a manager owns, as the client library sees it: that applied again is no change.
func (a *applying) extract() {
	made := a.made()
	if made == nil {
		return
	}
	_, err := a.deployments.Apply(a.ctx, applyapps.Deployment("web", a.namespace).
		WithAnnotations(map[string]string{"example.com/a": "b"}), by("two"))
	a.note("apply by another", err)
	scaled := []byte(`{"spec":{"minReadySeconds":3,"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}`)
	live, err := a.deployments.Patch(a.ctx, "web", types.MergePatchType, scaled, metav1.PatchOptions{FieldManager: "three"})
	if !a.note("patch by another", err) {
		return
	}
	for _, manager := range []string{"one", "two"} {
		extracted, err := applyapps.ExtractDeployment(live, manager)
		if !a.note("extract", err) {
			return
		}
		if manager == "one" {
			got, want := treeOf(extracted), treeOf(a.deployment("example.com/c:1"))
			a.note("extract", compareValues(withoutProtocol(got), want))
		}
		again, err := a.deployments.Apply(a.ctx, extracted, by(manager))
		if a.note("apply of what was extracted", err) {
			a.note("apply of what was extracted", compare(again, live))
		}
	}
	// The way of controllers: extract, change one field, apply.
	extracted, err := applyapps.ExtractDeployment(live, "one")
	if !a.note("extract", err) {
		return
	}
	extracted.Spec.WithReplicas(7)
	changed, err := a.deployments.Apply(a.ctx, extracted, by("one"))
	if a.note("apply of a change", err) {
		a.check("apply of a change", *changed.Spec.Replicas == 7 && changed.Spec.MinReadySeconds == 3, changed.Spec)
	}
	nothing, err := applyapps.ExtractDeployment(live, "nobody")
	a.check("extract of nobody", err == nil && nothing.Spec == nil, treeOf(nothing))
}

// withoutProtocol drops the key of ports that their owner did not say.
func withoutProtocol(tree any) any {
	text, _ := json.Marshal(tree)
	var value any
	_ = json.Unmarshal([]byte(strings.ReplaceAll(string(text), `,"protocol":"TCP"`, "")), &value)
	return value
}

func (a *applying) applyStatus() {
	if a.made() == nil {
		return
	}
	condition := applyapps.DeploymentCondition().WithType(appsv1.DeploymentAvailable).WithStatus(corev1.ConditionTrue)
	status := applyapps.Deployment("web", a.namespace).WithSpec(applyapps.DeploymentSpec().WithReplicas(9)).
		WithStatus(applyapps.DeploymentStatus().WithReplicas(2).WithConditions(condition))
	written, err := a.deployments.ApplyStatus(a.ctx, status, by("controller"))
	if !a.note("status", err) {
		return
	}
	a.check("status", written.Status.Replicas == 2 && len(written.Status.Conditions) == 1, written.Status)
	a.check("status", *written.Spec.Replicas == 2, "it changed the spec")
	a.check("owners", slices.Contains(managers(written), "controller Apply status"), managers(written))
	extracted, err := applyapps.ExtractDeploymentStatus(written, "controller")
	if a.note("extract", err) {
		again, err := a.deployments.ApplyStatus(a.ctx, extracted, by("controller"))
		if a.note("status again", err) {
			a.note("status again", compare(again, written))
		}
	}
	other := applyapps.Deployment("web", a.namespace).WithStatus(applyapps.DeploymentStatus().WithReplicas(3))
	_, err = a.deployments.ApplyStatus(a.ctx, other, by("other"))
	a.check("status of another", apierrors.IsConflict(err), err)
	less, err := a.deployments.ApplyStatus(a.ctx, applyapps.Deployment("web", a.namespace).WithStatus(applyapps.DeploymentStatus()), by("controller"))
	if a.note("less of a status", err) {
		a.check("less of a status", less.Status.Replicas == 0 && len(less.Status.Conditions) == 0, less.Status)
	}
}

func (a *applying) scale() {
	if a.made() == nil {
		return
	}
	size, err := a.deployments.GetScale(a.ctx, "web", metav1.GetOptions{})
	if !a.note("scale", err) {
		return
	}
	size.Spec.Replicas = 4
	size, err = a.deployments.UpdateScale(a.ctx, "web", size, metav1.UpdateOptions{FieldManager: "scaler"})
	if a.note("update of the scale", err) {
		a.check("update of the scale", size.Spec.Replicas == 4, size.Spec)
	}
	wanted := applyautoscaling.Scale().WithName("web").WithNamespace(a.namespace).
		WithSpec(applyautoscaling.ScaleSpec().WithReplicas(5))
	_, err = a.deployments.ApplyScale(a.ctx, "web", wanted, by("other"))
	a.check("apply of the scale", apierrors.IsConflict(err), err)
	size, err = a.deployments.ApplyScale(a.ctx, "web", wanted, metav1.ApplyOptions{FieldManager: "other", Force: true})
	if a.note("apply of the scale by force", err) {
		a.check("apply of the scale by force", size.Spec.Replicas == 5, size.Spec)
	}
	live, err := a.deployments.Get(a.ctx, "web", metav1.GetOptions{})
	if a.note("get", err) {
		a.check("owners", slices.Contains(managers(live), "other Apply scale"), managers(live))
		a.check("owners", !slices.Contains(managers(live), "scaler Update scale"), managers(live))
	}
}

// others are kinds with lists of each sort: sets, maps with several keys, atomic ones, and values in bytes.
func (a *applying) others() {
	core := a.CoreV1()
	service := applycore.Service("s", a.namespace).WithSpec(applycore.ServiceSpec().
		WithPorts(applycore.ServicePort().WithName("web").WithPort(80).WithTargetPort(intstr.FromString("http")),
			applycore.ServicePort().WithName("dns").WithPort(53).WithProtocol(corev1.ProtocolUDP)))
	made, err := core.Services(a.namespace).Apply(a.ctx, service, by("one"))
	if a.note("service", err) {
		extracted, err := applycore.ExtractService(made, "one")
		if a.note("extract of a service", err) {
			again, err := core.Services(a.namespace).Apply(a.ctx, extracted, by("one"))
			if a.note("service again", err) {
				a.note("service again", compare(again, made))
			}
		}
	}
	secret := applycore.Secret("t", a.namespace).WithData(map[string][]byte{"k": {0, 1, 255}}).
		WithStringData(map[string]string{"text": "plain"}).WithFinalizers("example.com/a")
	kept, err := core.Secrets(a.namespace).Apply(a.ctx, secret, by("one"))
	if a.note("secret", err) {
		a.check("secret", string(kept.Data["k"]) == "\x00\x01\xff" && string(kept.Data["text"]) == "plain", kept.Data)
		shared, err := core.Secrets(a.namespace).Apply(a.ctx, applycore.Secret("t", a.namespace).WithFinalizers("example.com/b"), by("two"))
		if a.note("finalizers", err) {
			a.check("finalizers", reflect.DeepEqual(shared.Finalizers, []string{"example.com/a", "example.com/b"}), shared.Finalizers)
		}
		for _, manager := range []string{"one", "two"} {
			_, err = core.Secrets(a.namespace).Apply(a.ctx, applycore.Secret("t", a.namespace).WithData(secret.Data), by(manager))
			a.note("finalizers given up", err)
		}
		left, err := core.Secrets(a.namespace).Get(a.ctx, "t", metav1.GetOptions{})
		a.check("finalizers given up", err == nil && len(left.Finalizers) == 0, left)
	}
	pod := applycore.Pod("p", a.namespace).WithSpec(applycore.PodSpec().
		WithContainers(applycore.Container().WithName("c").WithImage("i")).
		WithTolerations(applycore.Toleration().WithOperator(corev1.TolerationOpExists)))
	first, err := core.Pods(a.namespace).Apply(a.ctx, pod, by("one"))
	if !a.note("pod", err) {
		return
	}
	debug := applycore.Pod("p", a.namespace).WithSpec(applycore.PodSpec().WithEphemeralContainers(
		applycore.EphemeralContainer().WithName("debug").WithImage("i")))
	debugged, err := core.Pods(a.namespace).Apply(a.ctx, pod, by("one"))
	if a.note("pod again", err) {
		a.note("pod again", compare(debugged, first))
	}
	text, err := json.Marshal(debug)
	a.note("pod", err)
	debugged, err = core.Pods(a.namespace).Patch(a.ctx, "p", types.ApplyPatchType, text, metav1.PatchOptions{FieldManager: "debugger"}, "ephemeralcontainers")
	if a.note("ephemeral container", err) {
		a.check("ephemeral container", len(debugged.Spec.EphemeralContainers) == 1, debugged.Spec.EphemeralContainers)
	}
}

func (a *applying) patches() {
	made := a.made()
	if made == nil {
		return
	}
	patch := func(kind types.PatchType, text string, subresources ...string) (*appsv1.Deployment, error) {
		return a.deployments.Patch(a.ctx, "web", kind, []byte(text), metav1.PatchOptions{FieldValidation: "Strict"}, subresources...)
	}
	changed, err := patch(types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"i"},{"name":"c","$patch":"delete"}]}}}}`)
	if a.note("strategic merge patch", err) {
		containers := changed.Spec.Template.Spec.Containers
		a.check("strategic merge patch", len(containers) == 1 && containers[0].Name == "d", containers)
	}
	changed, err = patch(types.JSONPatchType, `[{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":3}]`)
	if a.note("JSON patch", err) {
		a.check("JSON patch", *changed.Spec.Replicas == 3, changed.Spec.Replicas)
	}
	changed, err = patch(types.MergePatchType, `{"metadata":{"labels":{"app":null}},"spec":{"paused":true}}`)
	if a.note("merge patch", err) {
		a.check("merge patch", changed.Spec.Paused && len(changed.Labels) == 0, changed)
	}
	changed, err = patch(types.MergePatchType, `{"status":{"readyReplicas":1,"replicas":1},"spec":{"replicas":8}}`, "status")
	if a.note("patch of the status", err) {
		a.check("patch of the status", changed.Status.ReadyReplicas == 1 && *changed.Spec.Replicas == 3, changed.Status)
	}
	_, err = patch(types.MergePatchType, `{"spec":{"surplus":1}}`)
	a.check("patch of an unknown field", apierrors.IsBadRequest(err), err)
	_, err = patch(types.JSONPatchType, `[{"op":"test","path":"/spec/replicas","value":9}]`)
	a.check("patch of a failed test", apierrors.IsInvalid(err), err)
	_, err = patch(types.MergePatchType, fmt.Sprintf(`{"metadata":{"resourceVersion":%q}}`, made.ResourceVersion))
	a.check("patch of an old version", apierrors.IsConflict(err), err)
	// The loop of every controller comes to an end.
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := a.deployments.Get(a.ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		live.Spec.Paused = false
		_, err = a.deployments.Update(a.ctx, live, metav1.UpdateOptions{FieldManager: "updater"})
		return err
	})
	a.note("update", err)
}

func (a *applying) deletions() {
	made := a.made()
	if made == nil {
		return
	}
	other := types.UID("another")
	old := "1"
	uid, version := made.UID, made.ResourceVersion
	for what, conditions := range map[string]*metav1.Preconditions{
		"deletion of another uid":  {UID: &other},
		"deletion of a version":    {UID: &uid, ResourceVersion: &old},
		"deletion of both of them": {UID: &other, ResourceVersion: &version},
	} {
		err := a.deployments.Delete(a.ctx, "web", metav1.DeleteOptions{Preconditions: conditions})
		a.check(what, apierrors.IsConflict(err), err)
	}
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	a.note("dry run", a.deployments.Delete(a.ctx, "web", dry))
	// Nobody lets go of it but who holds it.
	foreground := metav1.DeletePropagationForeground
	owner := metav1.NewControllerRef(made, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "held", OwnerReferences: []metav1.OwnerReference{*owner}, Finalizers: []string{"example.com/held"}}}
	_, err := a.CoreV1().ConfigMaps(a.namespace).Create(a.ctx, held, metav1.CreateOptions{})
	a.note("dependent", err)
	options := metav1.DeleteOptions{PropagationPolicy: &foreground, Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}}
	if a.note("deletion in the foreground", a.deployments.Delete(a.ctx, "web", options)) {
		waiting, err := a.deployments.Get(a.ctx, "web", metav1.GetOptions{})
		if a.note("what waits for its dependents", err) {
			a.check("what waits for its dependents", waiting.DeletionTimestamp != nil &&
				slices.Contains(waiting.Finalizers, metav1.FinalizerDeleteDependents), waiting.Finalizers)
		}
	}
	free := []byte(`{"metadata":{"finalizers":null}}`)
	_, err = a.CoreV1().ConfigMaps(a.namespace).Patch(a.ctx, "held", types.MergePatchType, free, metav1.PatchOptions{})
	a.note("letting go", err)
	a.note("deletion in the foreground", gone(func() error {
		_, err := a.deployments.Get(a.ctx, "web", metav1.GetOptions{})
		return err
	}))
}

func (a *applying) collection() {
	maps := a.CoreV1().ConfigMaps(a.namespace)
	for i := range 7 {
		labels := map[string]string{"odd": fmt.Sprint(i%2 == 1)}
		_, err := maps.Apply(a.ctx, applycore.ConfigMap(fmt.Sprintf("m%d", i), a.namespace).WithLabels(labels), by("one"))
		a.note("apply", err)
	}
	odd := metav1.ListOptions{LabelSelector: "odd=true"}
	left := func(what string, want int) {
		list, err := maps.List(a.ctx, metav1.ListOptions{})
		if a.note(what, err) {
			a.check(what, len(list.Items) == want, fmt.Sprintf("%d are left, not %d", len(list.Items), want))
		}
	}
	a.note("dry run", maps.DeleteCollection(a.ctx, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}, odd))
	left("dry run", 7)
	a.note("by label", maps.DeleteCollection(a.ctx, metav1.DeleteOptions{}, odd))
	left("by label", 4)
	a.note("by name", maps.DeleteCollection(a.ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=m0"}))
	left("by name", 3)
	a.note("all", maps.DeleteCollection(a.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	left("all", 0)
}
