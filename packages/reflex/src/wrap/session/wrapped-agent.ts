import type { Reflex } from '../../app/reflex.ts'
import { isObject, type Json, type JsonObject, type OpenRun, toFault } from '../../kernel/index.ts'
import { turnHosts } from '../../kinds/skill/turn/host.ts'
import type { TurnArgs, TurnSource } from '../../kinds/skill/model/turn.ts'
import { PROJECT_FILE } from '../../kinds/skill/plan/project-file.ts'
import type { RunSettings } from '../../policy/index.ts'
import { checkArguments } from '../../text/index.ts'
import { jsonOf } from '../dialects/loose.ts'
import { faults } from './faults.ts'
import { type AgentParts, type AgentProxies, proxiesOf } from './agent.ts'
import { CarriedWork } from './carried-work.ts'
import { type AgentSession, currentSession, inSession } from './context.ts'
import { Conversations } from './conversations.ts'
import { TURN_OPTIONS } from './forms.ts'
import { WRAPPED } from './intercept.ts'
import { seedOf, type SeedSource } from './seed.ts'
import { TurnSession } from './session.ts'
import { recordable } from './turn-run.ts'
import { AgentSkills, type OfferedSkill } from './skills.ts'
import type { Agent, AgentContext, ResumeOptions, TurnOptions, Wrapped } from './wrap.ts'

/** An output of an agent that is complete; its JSON is the part that the record keeps. */
class CompleteOutput<Output> {
  readonly output: Output
  readonly kept: unknown

  constructor(output: Output, kept: unknown) {
    this.output = output
    this.kept = kept
  }

  toJSON(): unknown {
    return this.kept
  }
}

/** Runs the turns of one agent. */
export class WrappedAgent<Input, Output> implements Wrapped<Input, Output> {
  readonly [WRAPPED]: unknown
  readonly #reflex: Reflex
  readonly #parts: AgentParts
  readonly #proxies: AgentProxies
  readonly #skills: AgentSkills
  readonly #conversations = new Conversations()
  readonly #work = new CarriedWork()
  readonly #source: TurnSource
  readonly #onUnwrap: () => void

  constructor(reflex: Reflex, parts: AgentParts, onUnwrap: () => void) {
    this[WRAPPED] = parts.agent
    this.#reflex = reflex
    this.#parts = parts
    this.#skills = new AgentSkills(reflex)
    this.#proxies = proxiesOf(reflex, parts, this.#skills.host.tools)
    this.#onUnwrap = onUnwrap
    const { name, carrier, kCards, maxSkillRounds } = parts
    this.#source = { agent: name, tools: this.#proxies.facts, cards: kCards, carrier, rounds: maxSkillRounds }
  }

  unwrap(): void {
    this.#proxies.restore()
    this.#onUnwrap()
  }

  async run(input: Input, options: TurnOptions = {}): Promise<Output> {
    options.signal?.throwIfAborted()
    const outer = currentSession()
    if (outer !== undefined) return this.#within(outer, input, options)
    checkArguments('wrapped.run', { options: [options, TURN_OPTIONS] })
    const { state, blackboard, conversation } = options
    const project = await this.#skills.project()
    const { board, goalLabels: ownLabels } = this.#skills.host
    const { goalLabels = ownLabels ?? project?.goalLabels } = options
    const sources: SeedSource[] = [
      { from: PROJECT_FILE, values: project?.board },
      { from: 'project', values: board },
      { from: 'state', values: state },
      { from: 'env', values: this.#probes() },
      { from: 'caller', values: blackboard },
      { from: 'conversation', values: this.#parts.carryWork ? this.#work.of(conversation) : undefined },
    ]
    const args: TurnArgs = {
      input: jsonOf(input),
      ...(conversation === undefined ? {} : { conversation }),
      ...(goalLabels === undefined ? {} : { goalLabels }),
      ...seedOf(sources),
    }
    const session = await this.#session(options, project === undefined ? [] : undefined)
    await this.#guarded(session, () => this.#start(session, args, options))
    try {
      return await this.#perform(session, input, options)
    } finally {
      if (this.#parts.carryWork) this.#work.keep(conversation, session.run.work)
    }
  }

  /** Runs within the turn of the agent whose code calls this one: its calls are calls of that turn. */
  async #within(outer: AgentSession, input: Input, { signal }: TurnOptions): Promise<Output> {
    const act = (session: AgentSession): Promise<unknown> => inSession(session, () => this.#complete(session, input, signal))
    const nested = { tools: this.#proxies.facts, conversations: this.#conversations, act }
    const given = await outer.agent(this.#parts.name, [input], nested)
    return (given instanceof CompleteOutput ? given.output : given) as Output
  }

  async resume(ref: string, options: ResumeOptions = {}): Promise<Output> {
    const { id, program } = await this.#reflex.find(ref)
    if (program[0] !== this.#program)
      throw faults.make('R2155', `${id} is a run of ${program[0]}, not a turn of ${this.#parts.name}`, { run: id })
    const session = await this.#session(options)
    let input: Json = null
    const handle = await this.#reflex.resume(id, {
      prepare: ({ run }) => {
        const { args } = run.state.root
        input = (isObject(args) ? args['input'] : undefined) ?? null
        this.#begin(session, run)
      },
    })
    // A turn that this process still has is not started a second time.
    if (session.run.id === undefined)
      throw faults.make('R2155', `the turn ${handle.id} goes on in this process`, { run: handle.id, fix: 'await the call that began it' })
    return this.#perform(session, input as Input, options)
  }

  get #program(): string {
    return `turn:${this.#parts.name}`
  }

  /** Variables of the environment that the host allows, in lower case below `env`. */
  #probes(): JsonObject {
    const found = this.#parts.env.flatMap((name): [string, string][] => {
      const value = this.#parts.variable(name)
      return value === undefined ? [] : [[name.toLowerCase(), value]]
    })
    return found.length === 0 ? {} : { env: Object.fromEntries(found) }
  }

  /** `known`: the skills of the turn. Default: those of the registry. */
  async #session(
    { conversation, signal, strict = false, answers = 'wait' }: TurnOptions & ResumeOptions,
    known?: readonly OfferedSkill[],
  ): Promise<TurnSession> {
    const parts = {
      reflex: this.#reflex,
      skills: this.#skills,
      conversations: this.#conversations,
      conversation,
      tools: this.#proxies.facts,
      signal,
      isStrict: strict,
      answers,
    }
    try {
      return new TurnSession({ ...parts, installed: known ?? (await this.#skills.load()) })
    } catch (thrown) {
      const session = new TurnSession({ ...parts, installed: [] })
      session.run.report('the registry of skills cannot be read', thrown)
      return session
    }
  }

  /** A turn that cannot be begun goes on without Reflex. */
  async #guarded(session: TurnSession, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (thrown) {
      session.run.fail(thrown)
    }
  }

  async #start(session: TurnSession, args: TurnArgs, { id, onStart }: TurnOptions): Promise<void> {
    const { programs } = this.#reflex.runtime
    await programs.load('turn')
    const program = programs.add('turn', this.#parts.name, jsonOf(this.#source))
    const handle = await this.#reflex.start(program, {
      input: recordable(args, this.#skills.host.logContent) as never,
      ...(id === undefined ? {} : { id }),
      prepare: ({ run }) => this.#begin(session, run),
    })
    onStart?.(handle.id)
  }

  #begin(session: TurnSession, run: OpenRun<RunSettings>): void {
    turnHosts(this.#reflex.store).set(run.id, session)
    session.run.begin(run)
  }

  /** Runs the agent's code within its session, and ends the run with what it gives. */
  async #perform(session: TurnSession, input: Input, { signal }: TurnOptions): Promise<Output> {
    const cancelled = Promise.withResolvers<void>()
    const cancel = (): void => void session.run.cancel(signal?.reason).then(cancelled.resolve)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const { output, kept } = await Promise.race([
        inSession(session.calls, () => this.#complete(session.calls, input, signal)),
        session.run.left,
      ])
      if (signal?.aborted === true) throw signal.reason
      this.#checkIntercepted(session)
      await session.run.end('done', jsonOf(kept))
      return output
    } catch (thrown) {
      if (signal?.aborted === true) await cancelled.promise
      else await session.run.end('failed', failureOf(thrown))
      throw signal?.aborted === true ? signal.reason : thrown
    } finally {
      signal?.removeEventListener('abort', cancel)
      if (session.run.id !== undefined) turnHosts(this.#reflex.store).delete(session.run.id)
    }
  }

  /** Returns the output of the agent, and what the record keeps of it, when it is complete. */
  async #complete(session: AgentSession, input: Input, signal: AbortSignal | undefined): Promise<CompleteOutput<Output>> {
    const output = await this.#call(session, input, signal)
    const { complete } = this.#parts
    return new CompleteOutput(output, complete === undefined ? output : await complete(output))
  }

  async #call(session: AgentSession, input: Input, signal: AbortSignal | undefined): Promise<Output> {
    const { agent } = this.#proxies
    const { llm, tools } = this.#proxies
    const context: AgentContext = {
      llm,
      tools,
      signal,
      once: <Value>(name: string, act: () => Value) => session.once(name, act) as Promise<Awaited<Value>>,
    }
    const typed = agent as Agent<Input, Output>
    return typeof typed === 'function' ? typed(input, context) : typed.run(input, context)
  }

  #checkIntercepted(session: TurnSession): void {
    if (session.calls.hasAskedModel) return
    const { name, strictIntercept } = this.#parts
    const message = `no call of a model came through the proxies of ${name}`
    const details = { rule: 'adapter.no_intercept', ...(session.run.id === undefined ? {} : { run: session.run.id }) }
    if (strictIntercept) throw faults.make('R2151', message, { ...details, severity: 'error' })
    this.#reflex.report(faults.finding('R2151', message, details))
  }
}

function failureOf(thrown: unknown): Json {
  const fault = toFault(thrown, (message, cause) => faults.make('R2155', `the agent has failed: ${message}`, { cause }))
  return jsonOf(fault)
}
