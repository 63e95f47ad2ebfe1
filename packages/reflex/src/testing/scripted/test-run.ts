import type { OpenQuestion, RunHandle } from '../../runs/handle.ts'
import { type Call, type Json, type Port, type Program, type VirtualHost, virtualHost } from '../../kernel/index.ts'
import { Reflex } from '../../app/reflex.ts'
import { memoryStore } from '../../store/index.ts'
import type { InputOf, WorkflowTypes } from '../../programs/program-types.ts'
import { RUN } from '../kind-suite/process-life.ts'
import { waitFor } from './waiting.ts'
import type { PlayedRun } from './crash.ts'
import { checkDecisions } from './decide.ts'
import { type End, endOf } from './end.ts'
import { effectName, AnswerMemory, OUTSIDE } from './answer-memory.ts'
import { Outside } from './outside.ts'
import { ScriptedPeople } from './people.ts'
import { fileOf, programOf, takesTools, type Testable, workflowsIn } from './program.ts'
import type { ScriptedOptions } from './script.ts'
import { ScriptedWorld, surroundingsOf } from './scripted-world.ts'
import { builtInTools, scriptedTools } from './tools.ts'

/** One run of a program under test, with its world and its clock. */
export class TestRun<Types extends WorkflowTypes> {
  readonly reflex: Reflex
  readonly host: VirtualHost
  readonly world: ScriptedWorld
  readonly handle: RunHandle<Types>
  /** The answers of the outside. */
  readonly memory: AnswerMemory
  readonly #people: ScriptedPeople

  private constructor(parts: Pick<TestRun<Types>, 'reflex' | 'host' | 'world' | 'handle' | 'memory'>) {
    this.reflex = parts.reflex
    this.host = parts.host
    this.world = parts.world
    this.handle = parts.handle
    this.memory = parts.memory
    this.#people = new ScriptedPeople(parts.world.script.answers)
  }

  /** Starts a run of a program. Does not wait for its effects. */
  static async of<Types extends WorkflowTypes>(what: Testable, script: ScriptedOptions, input?: InputOf<Types>): Promise<TestRun<Types>> {
    const { now = Date.UTC(2026, 0, 5, 9), kind, substitute } = script
    const host = virtualHost({ at: new Date(now).getTime() })
    const world = new ScriptedWorld(script, new Outside())
    const memory = new AnswerMemory()
    const file = fileOf(what)
    const builtIn = builtInTools(host)
    // A file is checked for the names of tools before it runs.
    const tools = takesTools(file) ? [...scriptedTools(script.tools, world.outside).values()].filter(({ name }) => !builtIn.has(name)) : []
    const reflex = new Reflex({ ...world.options, tools, store: memoryStore(), surroundings: surroundingsOf(host) })
    await loadKinds(reflex)
    for (const [name, port] of Object.entries(world.ports(reflex, host)))
      reflex.runtime.ports.set(name, OUTSIDE.has(name) ? rememberingPort(port, memory) : port)
    const program: string | Program = file ?? (await programOf(reflex, what))
    const options = {
      id: RUN,
      ...(input === undefined ? {} : { input }),
      ...(kind === undefined ? {} : { kind }),
      ...(substitute === undefined ? {} : { tree: { substitute: JSON.stringify(substitute) } }),
    }
    const starting = reflex.start<Types>(program, options)
    await waitFor(starting, host, world.outside)
    const handle = await starting
    const testRun = new TestRun<Types>({ reflex, host, world, handle, memory })
    checkDecisions(script.decide, workflowsIn(testRun.programs))
    return testRun
  }

  /** The program, followed by the programs that it calls. */
  get programs(): readonly Program[] {
    const { programs } = this.reflex.runtime
    const root = programs.byHash(this.handle.run.state.pins[0]?.[3] ?? '')
    return root === undefined ? [] : programs.closure(root)
  }

  /** Runs until the run rests and the script has no answer for an open question. */
  async rest(): Promise<void> {
    for (;;) {
      if (!(await waitFor(this.handle.idle(), this.host, this.world.outside))) return
      const next = this.#people.next(this.handle.questions)
      if (next === undefined) return
      await this.answer(next.question, next.value, 'the script')
    }
  }

  async answer(question: OpenQuestion, value: Json, by: string): Promise<void> {
    await waitFor(this.handle.answer(question, value, by), this.host, this.world.outside)
  }

  /** Advances the clock by a number of milliseconds. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.host.now() + milliseconds
    for (let { nextDue } = this.host; nextDue !== undefined && nextDue <= end; { nextDue } = this.host) {
      await this.host.tick()
      await this.rest()
    }
    await this.host.advance(Math.max(0, end - this.host.now()))
    await this.rest()
  }

  /** Returns the run so far, for comparison with other runs. */
  async played(): Promise<PlayedRun> {
    const { reflex, handle, world, memory, programs } = this
    const builtIn = builtInTools(this.host)
    return {
      world,
      memory,
      known: reflex.runtime.programs,
      kinds: reflex.kinds,
      programs,
      state: handle.run.state,
      records: await reflex.runtime.journal(handle.id),
      settings: handle.run.settings,
      tools: reflex.tools.names().flatMap((name) => (builtIn.has(name) ? [] : [reflex.tools.get(name)])),
    }
  }

  end(): Promise<End<Types>> {
    return endOf(this.reflex, this.handle, this.world.outside.performed)
  }
}

/** Loads every kind of a `Reflex`, so that all its ports are there. */
async function loadKinds({ kinds, runtime: { programs } }: Reflex): Promise<void> {
  for (const kind of kinds.names) await programs.load(kind)
}

/** Returns a port that keeps its answers. */
function rememberingPort(port: Port, memory: AnswerMemory): Port {
  return {
    ...port,
    perform(call: Call) {
      const result = (async () => port.perform(call))()
      memory.remember(effectName(call), call.id, result)
      return result
    },
  }
}
