import { readFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

/** Calls of each function of a source file during some work, by name. What must not grow is counted, not timed. */
export async function countsOf(file: string, work: () => Promise<void>): Promise<Counts> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    return new Counts(
      file,
      result.filter(({ url }) => url.endsWith(`/src/${file}`)),
    )
  } finally {
    session.disconnect()
  }
}

class Counts {
  readonly #file: string
  readonly #counts = new Map<string, number>()

  constructor(file: string, scripts: readonly Profiler.ScriptCoverage[]) {
    this.#file = file
    for (const { functions } of scripts)
      for (const { functionName, ranges } of functions)
        this.#counts.set(functionName, (this.#counts.get(functionName) ?? 0) + (ranges[0]?.count ?? 0))
  }

  /** Throws for a function that the file does not have: a count of 0 would prove nothing. */
  get(name: string): number {
    const source = readFileSync(fileURLToPath(new URL(`../src/${this.#file}`, import.meta.url)), 'utf8')
    if (!new RegExp(`(?<![\\w.])${name}(?:<[^>]*>)?\\(`).test(source)) throw new Error(`${this.#file} has no function ${name}`)
    return this.#counts.get(name) ?? 0
  }
}
