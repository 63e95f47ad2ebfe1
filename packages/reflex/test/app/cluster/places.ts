import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { joinCluster, type ClusterMember, type JoinOptions } from '../../../src/app/cluster/work.ts'
import type { ReflexOptions } from '../../../src/app/options.ts'
import { Reflex } from '../../../src/app/reflex.ts'
import type { Store } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { type VirtualHost, virtualHost } from '../../../src/testing/index.ts'
import { newFolder } from '../folders.ts'
import { FakeCluster } from './fake-cluster.ts'

/** One store with a cluster, and processes over it. */
export interface ClusterPlace {
  readonly host: VirtualHost
  readonly store: Store
  readonly fake: FakeCluster
  readonly workdir: string
  /** A file with a program that asks for a release. */
  readonly asks: string
  /** A process that belongs to the cluster. */
  readonly process: (name: string, options?: ReflexOptions) => Reflex
  /** The same, as a worker. */
  readonly worker: (
    name: string,
    options?: ReflexOptions,
    joins?: JoinOptions,
  ) => Promise<{ readonly reflex: Reflex; readonly member: ClusterMember }>
  /** Lets the cluster and the followers work until nothing is due, and resolves as the promise does. */
  readonly until: <Value>(promise: Promise<Value>) => Promise<Value>
}

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }'

let pids = 2 ** 22

export function clusterPlace(): ClusterPlace {
  const host = virtualHost()
  const store = memoryStore()
  const fake = new FakeCluster(store, host)
  const workdir = newFolder()
  const asks = join(workdir, 'ask.dot')
  writeFileSync(asks, ASKS)
  const process: ClusterPlace['process'] = (name, options = {}) => {
    const worker = { id: name, host: 'test', pid: ++pids }
    // Every process of a cluster has the same secret.
    const seal = (text: string): string => `${text} of the cluster`
    const surroundings = { host, worker, cwd: workdir, environment: {}, actor: 'ana', clusters: fake, seal }
    const reflex = new Reflex({ workdir, store: sharing(store), cluster: true, surroundings, ...options })
    onTestFinished(() => reflex.close())
    return reflex
  }
  return {
    host,
    store,
    fake,
    workdir,
    asks,
    process,
    async worker(name, options, joins) {
      const reflex = process(name, options)
      return { reflex, member: await joinCluster(reflex, joins) }
    },
    async until(promise) {
      const progress = { isOver: false }
      void Promise.allSettled([promise]).then(() => (progress.isOver = true))
      for (let i = 0; i < 200 && !progress.isOver; i++) {
        await fake.settle()
        await host.advance(100)
      }
      return promise
    },
  }
}

/** The store of one process: its end does not close that of the others. */
function sharing(store: Store): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const member = target[name]
      if (name === 'close') return () => undefined
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
