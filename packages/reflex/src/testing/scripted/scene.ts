import type { OpenQuestion, RunHandle } from '../../runs/handle.ts'
import { type Call, type Json, type Port, type Program } from '../../kernel/index.ts'
import { Reflex } from '../../app/reflex.ts'
import { memoryStore } from '../../store/index.ts'
import type { InputOf } from '../../kinds/workflow/define-types.ts'
import type { WorkflowTypes } from '../../programs/program-types.ts'
import { RUN } from '../kind-suite/life.ts'
import { type VirtualHost, virtualHost } from '../virtual-host.ts'
import { until } from './clock.ts'
import type { Played } from './crash.ts'
import { checkDecisions } from './decide.ts'
import { type End, endOf } from './end.ts'
import { effectName, Memory, OUTSIDE } from './memory.ts'
import { Outside } from './outside.ts'
import { ScriptedPeople } from './people.ts'
import { fileOf, programOf, readsTools, type Testable, workflowsIn } from './program.ts'
import type { ScriptedOptions } from './script.ts'
import { Cast, surroundingsOf } from './stage.ts'
import { ownTools, scriptedTools } from './tools.ts'

/** One run of a program under test: its world, its clock, and how far it has come. */
export class Scene<Types extends WorkflowTypes> {
  readonly reflex: Reflex
  readonly host: VirtualHost
  readonly cast: Cast
  readonly handle: RunHandle<Types>
  /** What the outside has answered. */
  readonly memory: Memory
  readonly #people: ScriptedPeople

  private constructor(parts: Pick<Scene<Types>, 'reflex' | 'host' | 'cast' | 'handle' | 'memory'>) {
    this.reflex = parts.reflex
    this.host = parts.host
    this.cast = parts.cast
    this.handle = parts.handle
    this.memory = parts.memory
    this.#people = new ScriptedPeople(parts.cast.script.answers)
  }

  /** Starts a run of a program. Nothing of it is awaited. */
  static async of<Types extends WorkflowTypes>(what: Testable, script: ScriptedOptions, input?: InputOf<Types>): Promise<Scene<Types>> {
    const { now = Date.UTC(2026, 0, 5, 9), kind } = script
    const host = virtualHost({ at: new Date(now).getTime() })
    const cast = new Cast(script, new Outside())
    const memory = new Memory()
    const file = fileOf(what)
    const own = ownTools(host)
    // A file is checked for names of tools before it runs.
    const tools = readsTools(file) ? [...scriptedTools(script.tools, cast.outside).values()].filter(({ name }) => !own.has(name)) : []
    const reflex = new Reflex({ ...cast.options, tools, store: memoryStore(), surroundings: surroundingsOf(host) })
    for (const [name, port] of Object.entries(cast.ports(reflex, host)))
      reflex.runtime.ports.set(name, OUTSIDE.has(name) ? remembering(port, memory) : port)
    const program: string | Program = file ?? programOf(reflex, what)
    const options = { id: RUN, ...(input === undefined ? {} : { input }), ...(kind === undefined ? {} : { kind }) }
    const starting = reflex.start<Types>(program, options)
    await until(starting, host, cast.outside)
    const handle = await starting
    const scene = new Scene<Types>({ reflex, host, cast, handle, memory })
    checkDecisions(script.decide, workflowsIn(scene.programs))
    return scene
  }

  /** The program and what it calls, the program first. */
  get programs(): readonly Program[] {
    const { programs } = this.reflex.runtime
    const root = programs.byHash(this.handle.run.state.pins[0]?.[3] ?? '')
    return root === undefined ? [] : programs.closure(root)
  }

  /** Lets the run come to rest, and people say what the script has for them. */
  async rest(): Promise<void> {
    for (;;) {
      if (!(await until(this.handle.idle(), this.host, this.cast.outside))) return
      const next = this.#people.next(this.handle.questions)
      if (next === undefined) return
      await this.answer(next.question, next.value, 'the script')
    }
  }

  async answer(question: OpenQuestion, value: Json, by: string): Promise<void> {
    await until(this.handle.answer(question, value, by), this.host, this.cast.outside)
  }

  /** Lets so many milliseconds pass. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.host.now() + milliseconds
    for (let { next } = this.host; next !== undefined && next <= end; { next } = this.host) {
      await this.host.tick()
      await this.rest()
    }
    await this.host.advance(Math.max(0, end - this.host.now()))
    await this.rest()
  }

  /** The run so far, for those who compare others with it. */
  async played(): Promise<Played> {
    const { reflex, handle, cast, memory, programs } = this
    const own = ownTools(this.host)
    return {
      cast,
      memory,
      known: reflex.runtime.programs,
      programs,
      state: handle.run.state,
      records: await reflex.runtime.journal(handle.id),
      keeps: reflex.keeps(handle.run),
      tools: reflex.tools.names().flatMap((name) => (own.has(name) ? [] : [reflex.tools.get(name)])),
      runFolder: (run) => reflex.runFolder(run),
    }
  }

  end(): Promise<End<Types>> {
    return endOf(this.reflex, this.handle, this.cast.outside.performed)
  }
}

/** A port whose answers are kept. */
function remembering(port: Port, memory: Memory): Port {
  return {
    ...port,
    perform(call: Call) {
      const result = (async () => port.perform(call))()
      memory.keep(effectName(call), call.id, result)
      return result
    },
  }
}
