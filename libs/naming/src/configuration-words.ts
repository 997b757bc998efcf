/**
 * Names of component configurations that differ between the dialects: the word of `orch`, that of `kubernetes`. Each stands
 * for one field, kind or first label of a group, wherever it stands.
 */
export const configurationWords: ReadonlyMap<string, string> = new Map([
  ["orchscheduler", "kubescheduler"],
  ["orchcontrollermanager", "kubecontrollermanager"],
  ["orchproxy", "kubeproxy"],
  ["orchadm", "kubeadm"],
  ["agent", "kubelet"],
  ["OrchSchedulerConfiguration", "KubeSchedulerConfiguration"],
  ["OrchControllerManagerConfiguration", "KubeControllerManagerConfiguration"],
  ["OrchProxyConfiguration", "KubeProxyConfiguration"],
  ["AgentConfiguration", "KubeletConfiguration"],
  ["orchconfig", "kubeconfig"],
  ["OrchCloudShared", "KubeCloudShared"],
  ["AgentServingSignerConfiguration", "KubeletServingSignerConfiguration"],
  ["AgentClientSignerConfiguration", "KubeletClientSignerConfiguration"],
  ["APIServerClientSignerConfiguration", "KubeAPIServerClientSignerConfiguration"],
  ["orchVersion", "kubernetesVersion"],
  ["agentExtraArgs", "kubeletExtraArgs"],
  ["orchConfigPath", "kubeConfigPath"],
  ["agentHealthCheck", "kubeletHealthCheck"],
  ["orchAPICall", "kubernetesAPICall"],
  ["agentCgroups", "kubeletCgroups"],
  ["orchAPIQPS", "kubeAPIQPS"],
  ["orchAPIBurst", "kubeAPIBurst"],
  ["orchReserved", "kubeReserved"],
  ["orchReservedCgroup", "kubeReservedCgroup"],
]);
