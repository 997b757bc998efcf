/** One process of a machine, as its manifest describes it. */
export interface Unit {
  /** Of its manifest, a DNS label: `etcd`. */
  readonly name: string;
  /** A path, or a name that is looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absent: that of the machine's root. */
  readonly workingDir?: string;
  /** Absent: that of the runner. */
  readonly user?: UnitUser;
  readonly restart: Restart;
  /** How it is found out whether it works; absent where nobody can tell. */
  readonly readiness?: Readiness;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly stopWithinMs: number;
  /** SHA-256 of the manifest, in hex. Another hash is another unit. */
  readonly hash: string;
}

export interface UnitUser {
  readonly uid: number;
  readonly gid?: number;
}

export type Restart = "Always" | "OnFailure" | "Never";

/** An HTTP GET which a healthy process answers with 200 to 399. A certificate is not verified, as node agents do it. */
export interface Readiness {
  readonly url: string;
  readonly periodMs: number;
  readonly timeoutMs: number;
  /** Failures in a row after which a process that was healthy is taken to hang, and started anew. */
  readonly failures: number;
  /** The same for one that has not been healthy yet. */
  readonly startFailures: number;
}

export type UnitState =
  /** A process runs. */
  | "running"
  /** The next start waits for its delay. */
  | "waiting"
  /** It ended and is not to be started again, or nobody runs it. */
  | "stopped";

export interface UnitStatus {
  readonly name: string;
  readonly state: UnitState;
  /** Of the manifest by which the process was started; empty where that is not known. */
  readonly hash: string;
  readonly pid?: number;
  /** Starts after the first one. */
  readonly restarts: number;
  /** What its readiness said last; absent where nobody asked yet. */
  readonly ready?: boolean;
  /** Why it ended last. */
  readonly problem?: string;
}

/**
 * Who runs the units of a machine: what its folder of manifests says, a process for each. Units live longer than the command that
 * starts them. What a runner cannot do is thrown as an Error whose text is for a person.
 */
export interface Runner {
  readonly kind: RunnerKind;
  /** Has every manifest run from now on as it is: `start` of each, and what has none any more is stopped. */
  begin(): Promise<void>;
  /** Ends every unit, and whoever supervises them. */
  end(): Promise<void>;
  /**
   * Has a unit run as it is given, its manifest being in the folder: started, started anew where it runs otherwise, left alone where
   * it runs so. Resolves once it was started, which is before it is ready.
   */
  start(unit: Unit): Promise<void>;
  /** Ends a unit until it is started again, manifest or not; resolves once nothing of it runs. */
  stop(name: string): Promise<void>;
  /** In the order of names. */
  list(): Promise<readonly UnitStatus[]>;
  status(name: string): Promise<UnitStatus | undefined>;
}

export type RunnerKind = "process" | "systemd" | "none";
