import type { ChildProcess } from 'node:child_process'
import { PostgresProxy } from '../../../reflex/test/store/postgres-proxy.ts'
import type { PostgresServer } from '../../../reflex/test/store/postgres-server.ts'
import { type ChildOrder, Workers } from '../processes.ts'

/** The most characters of what a process said before it ended by itself. */
const LAST_WORDS = 1500

/** A worker that is reached, and reaches the server, through a proxy of its own. */
export interface Member {
  readonly child: ChildProcess
  readonly proxy: PostgresProxy
  /** The release of the program that it runs. */
  readonly release: number
  /** It is stopped, or hears nothing from the server. */
  isAway: boolean
  /** The test has ended it, or is ending it. */
  isOver: boolean
}

/** A time without a worker or without the server, in milliseconds since the epoch. */
export interface Outage {
  readonly from: number
  readonly to: number
}

/** A run that a worker had when it was lost. */
export interface Loss {
  readonly run: string
  readonly at: number
  /** False: the run rested with the worker, or only this worker could begin its turn. */
  readonly wasUnderWay: boolean
}

export interface FleetOptions {
  readonly server: PostgresServer
  readonly schema: string
  readonly order: Pick<ChildOrder, 'leaseMs' | 'toolMs' | 'slots'>
  /** Milliseconds by which the clock of the next worker is off. */
  readonly skew: () => number
  readonly onLine?: ((line: string) => void) | undefined
}

/** Workers in processes of their own, each behind its own proxy, and what has been done to them. */
export class Fleet {
  readonly workers: Workers
  readonly outages: Outage[] = []
  readonly losses: Loss[] = []
  /** Workers that ended although nobody ended them. */
  readonly ended: string[] = []
  readonly #options: FleetOptions
  #members: Member[] = []
  #release = 0
  #isServerUp = true
  #outSince: number | undefined = Date.now()

  constructor(options: FleetOptions) {
    this.#options = options
    const { server, schema, order } = options
    this.workers = new Workers({ address: server.address({ schema }), tools: true, ...order })
  }

  /** The workers that can take turns now. */
  get alive(): readonly Member[] {
    return this.#members.filter(({ isAway, isOver }) => !isAway && !isOver)
  }

  /** Starts a worker, and tries again until one has joined: the server may be away meanwhile. */
  async hire(release = this.#release): Promise<Member> {
    const { server, schema, skew, onLine } = this.#options
    for (;;) {
      const proxy = await PostgresProxy.start(server.port)
      const moreTools = release === 0 ? [] : [`release-${release}`]
      const address = server.address({ schema, port: proxy.port })
      const child = await this.workers.start({ address, moreTools, aheadMs: skew() }).catch((thrown: unknown) => {
        onLine?.(`  a worker did not start: ${String(thrown).slice(-300)}`)
        return undefined
      })
      if (child === undefined) {
        proxy.stop()
        await pause(500)
        continue
      }
      onLine?.(`  worker ${child.pid} has joined`)
      const member: Member = { child, proxy, release, isAway: false, isOver: false }
      let said = ''
      child.stderr?.on('data', (text: string) => {
        said = (said + text).slice(-LAST_WORDS)
      })
      child.once('exit', (code, signal) => {
        if (!member.isOver) this.ended.push(`process ${child.pid} ended by itself: ${code ?? signal}\n${said}`)
        member.isOver = true
        this.#mark()
      })
      this.#members.push(member)
      this.#mark()
      return member
    }
  }

  /** Kills a worker, and starts another in its place. */
  async kill(member: Member): Promise<void> {
    member.isOver = true
    member.child.kill('SIGKILL')
    await this.#lose(member)
    member.proxy.stop()
    await this.hire()
  }

  /** Stops a worker for a while. */
  async stop(member: Member, ms: number): Promise<void> {
    member.isAway = true
    member.child.kill('SIGSTOP')
    await this.#lose(member)
    await pause(ms)
    member.child.kill('SIGCONT')
    member.isAway = false
    this.#mark()
  }

  /** Lets a worker and the server hear nothing from each other for a while. Connections of before stay silent. */
  async silence(member: Member, ms: number): Promise<void> {
    member.isAway = true
    member.proxy.silenceAll()
    await this.#lose(member)
    await pause(ms)
    member.proxy.hear()
    member.isAway = false
    this.#mark()
  }

  /** Lets everything between a worker and the server take longer for a while. */
  async delay(member: Member, by: number, ms: number): Promise<void> {
    member.proxy.delayBy(by)
    await pause(ms)
    member.proxy.delayBy(0)
  }

  /** Crashes the server, and starts it again. */
  async restart(ms: number): Promise<void> {
    const { server } = this.#options
    this.#isServerUp = false
    this.#mark()
    await server.down()
    await pause(ms)
    await server.up()
    this.#isServerUp = true
    this.#mark()
  }

  /** Replaces all workers by those of a new release: the new ones come first, then the old ones drain. */
  async deploy(): Promise<void> {
    this.#release++
    const old = this.alive
    await Promise.all(old.map(() => this.hire()))
    for (const member of old) {
      if (member.isOver) continue
      member.isOver = true
      this.#mark()
      await this.workers.drain(member.child)
      member.proxy.stop()
    }
  }

  /** Notes the runs that a lost worker had, and those that only it could begin: it had taken their turns, or no other worker has its version. */
  async #lose({ child }: Member): Promise<void> {
    const at = Date.now()
    this.#mark()
    const { server, schema } = this.#options
    const rows = await server
      .sql<{ run: string; wasUnderWay: boolean }>(
        `with lost as (select id from ${schema}.worker where pid = $1)
        select run.id as run, run.status = 'running' as "wasUnderWay" from ${schema}.run join lost on lost.id = run.owner
          where run.status in ('running', 'suspended')
        union all select turn.id, false from lost join ${schema}_cluster.worker using (id) join ${schema}_cluster.turn using (version)
          join ${schema}_dbos.workflow_status on workflow_uuid = turn.id || ':' || number
          where state = 'admitted' and (executor_id = lost.id or not exists (select from ${schema}_cluster.worker as other
            where other.version = turn.version and other.id <> lost.id and seen + ttl > ${schema}_cluster.now_ms()))`,
        [child.pid],
      )
      .catch(() => [])
    for (const row of rows) this.losses.push({ ...row, at })
  }

  #mark(): void {
    const now = Date.now()
    const isOut = !this.#isServerUp || this.alive.length === 0
    if (isOut) this.#outSince ??= now
    else if (this.#outSince !== undefined) {
      this.outages.push({ from: this.#outSince, to: now })
      this.#outSince = undefined
    }
  }

  end(): void {
    for (const member of this.#members) {
      member.isOver = true
      member.proxy.stop()
    }
    this.workers.end()
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
