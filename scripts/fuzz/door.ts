import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CATALOGUE } from '../../packages/reflex/src/protocol/catalogue.ts'
import { thisProcess } from '../../packages/reflex/src/app/host.ts'
import { describeFault, type Fault, isFault, type Json } from '../../packages/reflex/src/kernel/index.ts'
import { NODES } from '../../packages/reflex/src/kinds/tree/nodes/table.ts'
import { Reflex } from '../../packages/reflex/src/app/reflex.ts'

/** Programs that one `Reflex` reads before another takes its place, so that what it keeps of them does not grow. */
const READS = 200

/** The functions that the trees among the seeds name: trees that name others are refused. */
const FUNCTIONS = Object.fromEntries(
  [
    ...NODES.flatMap(({ example }) => [...example.matchAll(/fn = "([^"]+)"/g)].map((found) => found[1] ?? '')),
    'Act',
    'IsOpen',
    'MoveTo',
  ].map((name) => [name, () => 'SUCCESS' as const]),
)

/** The way by which `reflex validate` reads a program, and what must hold of everything that comes back. */
export class Door {
  readonly #folder: string
  #reflex: Reflex
  #reads = 0

  /** `folder`: where programs are put to be read; made here. */
  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    this.#reflex = this.#open()
  }

  /**
   * Reads, compiles and checks a program. Returns its source if it has no error. Throws if anything but faults comes of it, or a fault that
   * nobody can use. `beside`: the texts of files beside it, by their names; then it gets a folder of its own.
   */
  async read(name: string, text: string, beside?: Readonly<Record<string, string>>): Promise<Json | undefined> {
    await this.#renew()
    const file = this.#place(name, text, beside)
    const longest = [text, ...Object.values(beside ?? {})].join('\n')
    try {
      const { findings, program } = await this.#reflex.library.checkCalls(file)
      this.judge(findings, longest)
      return program?.source
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      this.judge([thrown], longest)
      return undefined
    }
  }

  /** Runs a graph over the text of a file of events, as `reflex run --source` does. Throws unless it completes and its replay is equal. */
  async runEvents(name: string, text: string, beside: Readonly<Record<string, string>>): Promise<void> {
    await this.#renew()
    const file = this.#place(name, text, beside)
    const run = await this.#reflex.run(file, { dataflow: { source: join(dirname(file), 'events.jsonl') } })
    if (run.status !== 'completed') throw new Error(`the run is ${run.status}: ${JSON.stringify(run.failure)}`)
    const { result } = await this.#reflex.replay(run.id)
    if (result !== 'equal') throw new Error(`the replay is ${result}`)
    // A run whose events were all refused has nothing to capture.
    if (JSON.stringify(run.value).includes('"events":0')) return
    const { findings } = await this.#reflex.replayCapture({ run: run.id })
    if (findings.length > 0) throw new Error(`the capture of the run is refused: ${findings[0]?.message}`)
  }

  async #renew(): Promise<void> {
    if (++this.#reads % READS !== 0) return
    await this.#reflex.close()
    this.#reflex = this.#open()
  }

  #place(name: string, text: string, beside?: Readonly<Record<string, string>>): string {
    const folder = beside === undefined ? this.#folder : join(this.#folder, 'beside')
    if (beside !== undefined) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
    }
    for (const [other, content] of Object.entries(beside ?? {})) writeFileSync(join(folder, other), content)
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  /** Holds findings to what users are promised: faults of the catalogue, none a bug of ours, each at a place that is there. */
  judge(findings: readonly Fault[], text: string): void {
    for (const finding of findings) {
      if (!isFault(finding)) throw new TypeError(`a finding is no fault: ${JSON.stringify(finding)}`)
      const { code, verdict, line, message } = finding
      if (!CATALOGUE.has(code)) throw new Error(`the catalogue has no ${code}: ${message}`)
      if (verdict === 'bug') throw new Error(`${code} blames us: ${message}`)
      if (line !== undefined && (line < 1 || line > text.length + 1)) throw new Error(`${code} is on line ${line}, which is not there`)
      describeFault(finding)
    }
  }

  async close(): Promise<void> {
    await this.#reflex.close()
  }

  #open(): Reflex {
    return new Reflex({ store: 'memory:', surroundings: { ...thisProcess(), cwd: this.#folder }, tree: { functions: FUNCTIONS } })
  }
}
