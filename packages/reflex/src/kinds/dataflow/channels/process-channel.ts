import type { Host, JsonObject } from '../../../kernel/index.ts'
import { shortJson } from '../../../text/index.ts'
import type { LineProcess } from '../../../tools/index.ts'
import { faults } from '../run/faults.ts'
import { endText, missingScript } from './last-words.ts'
import { type Acknowledgement, END_LINE, intentLine, readAcknowledgement, readReady, type SentIntent } from './frames.ts'

/** The time in which a channel must be ready, and in which it must end, in milliseconds (reference 5.7). */
const LIMIT = 5000

/** A process that takes intents. One is under way at a time. */
export class ProcessChannel {
  readonly #name: string
  readonly #process: LineProcess
  readonly #host: Host
  /** Settles once no intent is under way. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(name: string, process: LineProcess, host: Host) {
    this.#name = name
    this.#process = process
    this.#host = host
  }

  /**
   * Waits until a process is ready for these kinds of effects. Throws `R1382` otherwise; the process is killed then. `command`
   * and `folder`: what was started and where, for the message.
   */
  static async open(
    name: string,
    process: LineProcess,
    kinds: readonly string[],
    { host, command, folder }: { readonly host: Host; readonly command: readonly string[]; readonly folder: string },
  ): Promise<ProcessChannel> {
    const channel = new ProcessChannel(name, process, host)
    const line = await channel.#next(LIMIT)
    const ready = line === undefined ? undefined : readReady(line)
    const missing = ready === undefined || 'wrong' in ready ? [] : kinds.filter((kind) => !ready.handled_kinds.includes(kind))
    if (ready !== undefined && !('wrong' in ready) && missing.length === 0) return channel
    process.kill()
    const why =
      ready === undefined
        ? `it has written no line${await channel.#lastWords()}`
        : 'wrong' in ready
          ? ready.wrong
          : `it does not handle ${missing.join(', ')}, which is routed to it`
    const script = ready === undefined ? missingScript(command, folder) : undefined
    throw faults.make('R1382', `channel ${name} is not ready: ${script?.why ?? why}`, {
      path: name,
      ...(script === undefined ? {} : { fix: script.fix, data: { ended: why } }),
    })
  }

  /**
   * Sends an intent and returns its acknowledgement, after those that were sent before. Throws `R1383`, `R1384` and `R1385`; the process is
   * killed then. A line that it has written before, such as a second acknowledgement, answers nothing: then the intent is not sent.
   */
  send(intent: SentIntent, timeout: number, signal: AbortSignal): Promise<Acknowledgement> {
    const sent = this.#last.then(() => this.#send(intent, timeout, signal))
    this.#last = sent.catch(() => undefined)
    return sent
  }

  async #send(intent: SentIntent, timeout: number, signal: AbortSignal): Promise<Acknowledgement> {
    await this.#refuseEarlyLine(intent)
    this.#process.send(intentLine(intent))
    const until = this.#host.now() + timeout
    const line = await this.#next(timeout, signal)
    const ack = line === undefined ? undefined : readAcknowledgement(line, intent.intent_id)
    if (ack !== undefined && !('wrong' in ack)) return ack
    this.#process.kill()
    const about = this.#about(intent)
    if (ack !== undefined) throw this.#violation(ack.wrong, intent)
    if (this.#host.now() >= until)
      throw faults.make('R1384', `channel ${this.#name} has not acknowledged ${intent.kind} within ${timeout} ms`, {
        ...about,
        rule: 'egress_ack_timeout',
      })
    throw faults.make('R1385', `channel ${this.#name} ended before it acknowledged ${intent.kind}${await this.#lastWords()}`, {
      ...about,
      rule: 'egress_io',
    })
  }

  async #refuseEarlyLine(intent: SentIntent): Promise<void> {
    const line = await this.#process.next(AbortSignal.abort())
    if (line === undefined) return
    this.#process.kill()
    throw this.#violation(`it wrote ${shortJson(line, 80)} before ${intent.kind} was sent; that answers nothing`, intent)
  }

  #violation(wrong: string, intent: SentIntent): Error {
    const about = { ...this.#about(intent), rule: 'egress_protocol_violation' }
    return faults.make('R1383', `channel ${this.#name} broke the protocol: ${wrong}`, about)
  }

  #about({ intent_id }: SentIntent): { readonly path: string; readonly data: JsonObject } {
    return { path: this.#name, data: { intent_id, channel: this.#name } }
  }

  /** Tells the process that no intent follows, and waits for its end. */
  async close(): Promise<void> {
    this.#process.send(END_LINE)
    await this.#process.end(LIMIT)
  }

  /** Returns the next line; undefined after the time, and once the process has ended. */
  async #next(ms: number, signal?: AbortSignal): Promise<string | undefined> {
    const abort = new AbortController()
    const stop = (): void => abort.abort()
    const cancel = this.#host.at(this.#host.now() + ms, stop)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await this.#process.next(abort.signal)
    } finally {
      cancel()
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Returns how the process ended, and what it says is wrong. */
  async #lastWords(): Promise<string> {
    if (this.#process.isFlooding) return ': one of its lines is too long'
    return `: ${endText(await this.#process.end(0))}`
  }
}
