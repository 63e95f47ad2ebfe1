/** The limits of one command, with everything that it starts. */
export interface CommandLimits {
  /** Bytes of memory that is not a file on a disk. */
  readonly memory: number
  /** Processes and threads. */
  readonly processes: number
}

export const DEFAULT_LIMITS: CommandLimits = { memory: 4 * 2 ** 30, processes: 2_048 }

/** Returns the lowest of several limits; the default where none is set. */
export function lowestLimits(all: readonly Partial<CommandLimits>[]): CommandLimits {
  const lowest = (name: keyof CommandLimits): number => Math.min(...all.flatMap((one) => one[name] ?? []))
  const [memory, processes] = [lowest('memory'), lowest('processes')]
  return {
    memory: Number.isFinite(memory) ? memory : DEFAULT_LIMITS.memory,
    processes: Number.isFinite(processes) ? processes : DEFAULT_LIMITS.processes,
  }
}
