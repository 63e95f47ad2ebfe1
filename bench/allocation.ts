import { Session } from 'node:inspector/promises'

/** Samples one allocation in so many bytes, on average. */
const INTERVAL = 512

/** The bytes that V8 has sampled at a place of the code, and at the places that it called. */
interface SampledPlace {
  readonly selfSize: number
  readonly children: readonly SampledPlace[]
}

/**
 * Returns the bytes that a function allocates, on average over so many calls, whether or not a collection has freed them. It does not depend on
 * the other work of the machine. Call the function often before, so that it is compiled.
 */
export async function allocatedBytes(work: () => Promise<unknown>, calls: number): Promise<number> {
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: INTERVAL,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    })
    for (let i = 0; i < calls; i++) await work()
    const { profile } = await session.post('HeapProfiler.stopSampling')
    return sumOf(profile.head) / calls
  } finally {
    session.disconnect()
  }
}

function sumOf({ selfSize, children }: SampledPlace): number {
  return children.reduce((sum, child) => sum + sumOf(child), selfSize)
}
