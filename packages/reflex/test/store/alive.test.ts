import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isGone, type KnownWorker, knownWorker } from '../../src/store/known-worker.ts'

const HERE = new Set(['here'])
const onLinux = process.platform === 'linux'

const me = (more: Partial<KnownWorker> = {}): KnownWorker => ({
  ...knownWorker({ id: 'w', host: 'here', pid: process.pid }, 100, 10),
  ...more,
})

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

describe('a worker is gone', () => {
  it('if it is silent for its ttl', () => {
    expect([109, 110].map((now) => isGone(me(), now, HERE))).toEqual([false, true])
  })

  it('if its process is dead, only on this machine', async () => {
    const dead = me({ pid: await deadProcess() })
    expect(isGone(dead, 100, HERE)).toBe(true)
    expect(isGone(dead, 100, new Set(['there']))).toBe(false)
  })

  it.runIf(onLinux)('not if its process number belongs to another boot or another container', async () => {
    expect(isGone(me({ pid: await deadProcess(), place: 'another' }), 100, HERE)).toBe(false)
  })

  it.runIf(onLinux)('if another process has its number now', () => {
    expect(isGone(me({ began: '1' }), 100, HERE)).toBe(true)
    expect(isGone(me({ began: '' }), 100, HERE)).toBe(false)
  })

  it.runIf(onLinux)('if it was killed and its parent has not collected it', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [output] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(String(output))
    while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await setImmediate()
    expect(isGone(me({ pid, began: '' }), 100, HERE)).toBe(true)
  })

  it('not if its process cannot be asked or does not exist', () => {
    // The first process of a system belongs to another user, such as root.
    expect(isGone(me({ pid: 1, began: '' }), 100, HERE)).toBe(false)
    expect(isGone(me({ pid: 0 }), 100, HERE)).toBe(false)
    expect(isGone(me({ host: '', pid: -5 }), 100, new Set(['']))).toBe(false)
  })
})
