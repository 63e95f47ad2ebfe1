import { type Profiler, Session } from 'node:inspector/promises'

/** How often each function of a source file is called by some work, by its name: what must not grow is counted, not timed. */
export async function countsOf(file: string, work: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    return countedIn(result.filter(({ url }) => url.endsWith(`/src/${file}`)))
  } finally {
    session.disconnect()
  }
}

function countedIn(scripts: readonly Profiler.ScriptCoverage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { functions } of scripts)
    for (const { functionName, ranges } of functions) counts.set(functionName, (counts.get(functionName) ?? 0) + (ranges[0]?.count ?? 0))
  return counts
}
