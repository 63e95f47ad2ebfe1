/** The limits of one command together with everything that it starts. */
export interface CommandLimits {
  /** The bytes of memory that is not backed by a file on a disk. */
  readonly memory: number
  /** The number of processes and threads. */
  readonly processes: number
}

export const DEFAULT_LIMITS: CommandLimits = { memory: 4 * 2 ** 30, processes: 2_048 }

/** Returns the lowest of several limits; the default if none is set. */
export function lowestLimits(all: readonly Partial<CommandLimits>[]): CommandLimits {
  const lowest = (name: keyof CommandLimits): number => Math.min(...all.flatMap((one) => one[name] ?? []))
  const [memory, processes] = [lowest('memory'), lowest('processes')]
  return {
    memory: Number.isFinite(memory) ? memory : DEFAULT_LIMITS.memory,
    processes: Number.isFinite(processes) ? processes : DEFAULT_LIMITS.processes,
  }
}
