import { digest } from '../../../src/kernel/journal/digest.ts'
import { isObject, type Json } from '../../../src/kernel/journal/json.ts'
import { systemHost } from '../../../src/kernel/ports/host.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'
import type { Run } from '../../../src/kernel/run/run.ts'
import type { Frame } from '../../../src/kernel/state/frame.ts'
import { textOf } from './text.ts'

interface Session {
  /** The programs that its code may call, by `program` with the name. Its other calls are effects of the port of that name. */
  readonly programs: readonly string[]
}

type Step = Parameters<Kind<Session>['step']>[0]

/**
 * Shaped after a session that its user's code drives: the code runs outside, and each of its calls is a message whose id is the
 * digest of the call and its occurrence. The frame requests the effect, or spawns the program, and writes the result to the board,
 * where the code finds it, also when it starts over after a crash. Calls that run in parallel may come in any order.
 */
export const talk: Kind<Session> = {
  name: 'talk',
  rev: 1,
  compile: (source) => source as unknown as Session,
  calls: ({ programs }) => programs,
  step(x, input) {
    switch (input?.[0]) {
      case undefined:
        x.go({})
        return void x.wait('message', 'call', { stays: true, most: 16 })
      case 'messages':
        for (const [id, body] of input[2]) called(x, id, isObject(body) ? body : {})
        return
      case 'ok':
        return settled(x, input[1], input[2])
      case 'err':
        return settled(x, input[1], ['failed', isObject(input[2]) ? (input[2].code ?? null) : null])
      case 'end':
        x.drop(input[1])
        return settled(x, input[1], [input[2], input[3] ?? null])
      default:
    }
  },
}

function called(x: Step, id: string, { op, args, end }: { readonly op?: Json; readonly args?: Json; readonly end?: Json }): void {
  if (end !== undefined) return x.done(end)
  if (x.has(`c.${id}`)) return
  x.set(`c.${id}`, [op ?? null, args ?? null])
  const ref = op === 'program' ? x.spawn(textOf(args), { sees: 'nothing' }) : x.request(textOf(op), args, `key-of-${id}`)
  x.patch({ [`${ref}`]: id })
}

function settled(x: Step, ref: string | number, value: Json): void {
  x.set(`r.${textOf(isObject(x.position) ? x.position[`${ref}`] : '')}`, value)
  x.patch({ [`${ref}`]: null })
}

/** The code of a user: it calls, and returns a value. */
type UserCode = (call: (op: string, args: Json) => Promise<Json>, programs: readonly string[]) => Promise<Json>

/** Calls in parallel, makes the same payment twice, and runs the programs of its session one after another. */
const userCode: UserCode = async (call, programs) => {
  const both = await Promise.all([call('tool', ['a']), call('tool', ['b'])])
  const paid = [await call('tool', ['pay']), await call('tool', ['pay'])]
  const called: Json[] = []
  for (const program of programs) called.push(await call('program', program))
  return { both, paid, called }
}

/** The code of one user in one life of the process, from its first line. */
class Driver {
  readonly #run: Run
  readonly #frame: Frame
  readonly #occurrences = new Map<string, number>()
  readonly #waiting = new Map<string, (value: Json) => void>()
  readonly #posts: Promise<unknown>[] = []
  readonly #unsent = new Map<string, Json>()
  readonly #failed = new Set<string>()

  constructor(run: Run, frame: Frame) {
    const { programs } = run.definition(frame.pin) as Session
    this.#run = run
    this.#frame = frame
    run.observe(() => this.#settle())
    void userCode((op, args) => this.#call(op, args), programs).then((end) => this.#end(end))
  }

  #call(op: string, args: Json): Promise<Json> {
    const call = digest(JSON.stringify([op, args])).slice(0, 12)
    const occurrence = (this.#occurrences.get(call) ?? 0) + 1
    this.#occurrences.set(call, occurrence)
    const id = `${call}#${occurrence}`
    const board = this.#frame.reader()
    const known = board.get(`r.${this.#frame.id}/${id}`)
    if (known !== undefined) return Promise.resolve(known)
    const result = new Promise<Json>((resolve) => void this.#waiting.set(id, resolve))
    if (!board.has(`c.${this.#frame.id}/${id}`)) this.#post(id, { op, args })
    return result
  }

  /** The end waits for the results that it depends on: a process that has lost the run must not end it with results of its own. */
  #end(end: Json): void {
    const durable = this.#run.untilDurable(this.#run.state.n)
    this.#track(
      durable.then(() => this.#post('end', { end })),
      'end',
      { end },
    )
  }

  #post(id: string, body: Json): void {
    this.#track(this.#run.message('call', body, { id: `${this.#frame.id}/${id}`, frame: this.#frame.id }), id, body)
  }

  /** Keeps a message until it is durable. `posted` throws its failure; a failure that is not awaited is not reported. */
  #track(sent: Promise<unknown>, id: string, body: Json): void {
    const tracked = sent.catch((thrown: unknown) => this.#fail(id, body, thrown))
    tracked.catch(() => undefined)
    this.#posts.push(tracked)
  }

  /**
   * A store that fails for a moment loses the call, which is sent again. One that fails again ends the process: the code of the next one
   * makes the call again.
   */
  #fail(id: string, body: Json, thrown: unknown): void {
    if (this.#failed.has(id)) throw thrown
    this.#failed.add(id)
    this.#unsent.set(id, body)
  }

  #settle(): void {
    for (const [id, resolve] of this.#waiting) {
      const value = this.#frame.reader().get(`r.${this.#frame.id}/${id}`)
      if (value === undefined || !this.#waiting.delete(id)) continue
      resolve(value)
    }
  }

  /** Resolves when everything that the code has posted is durable; false if that was nothing. */
  async posted(): Promise<boolean> {
    // The code runs on after what has settled.
    await new Promise<void>((resolve) => systemHost.turn(resolve))
    for (const [id, body] of this.#unsent) {
      this.#unsent.delete(id)
      if (id === 'end' && isObject(body)) this.#end(body['end'] ?? null)
      else this.#post(id, body)
    }
    const posts = this.#posts.splice(0)
    await Promise.all(posts)
    return posts.length > 0
  }
}

const drivers = new WeakMap<Frame, Driver>()

/** Runs the code of each session of a run, as the script of a subject. It starts over in each life of the process. */
export async function driveSessions(run: Run): Promise<boolean> {
  for (const { type, name, frame } of run.state.waits.values()) {
    if (type !== 'message' || name !== 'call') continue
    const driver = drivers.get(frame) ?? new Driver(run, frame)
    drivers.set(frame, driver)
    if (await driver.posted()) return true
  }
  return false
}
