import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { SCHEDULE } from '../../src/serve/triggers/config.ts'
import { Schedules } from '../../src/serve/triggers/schedules.ts'
import { CommandProcess } from './command-process.ts'
import { triggerFolder } from './trigger-folder.ts'

describe.skipIf(process.platform === 'win32')('triggers of two processes over one SQLite', { timeout: 180_000 }, () => {
  test('a delivery whose process is killed before its mark arrives again from the other process, with the same id and body', async () => {
    const got: { readonly id: string; readonly body: string }[] = []
    let onFirst: () => void = () => undefined
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => (body += String(part)))
      request.on('end', () => {
        got.push({ id: String(request.headers['webhook-id']), body })
        // The first delivery has arrived and gets no answer: its process dies.
        if (got.length === 1) onFirst()
        else response.writeHead(200).end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`
    const { folder } = triggerFolder({
      subscriptions: { ops: { url, private: true, secret: { env: 'SECRET' }, events: ['question', 'completed'] } },
    })
    const serve = ['serve', '--port', '0', '--triggers', 'triggers.json', '--lease', '1s']
    const first = new CommandProcess(folder, serve)
    const [, address = '', token = ''] = await first.says(/(http:\S+)\/#token=(\S+)/)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    // The first one delivers: it has begun its list before the other one is there.
    for (let begun = false; !begun; await pause(10)) {
      const { subscriptions } = (await (await fetch(`${address}/v1/hooks`, { headers })).json()) as { subscriptions: { begun?: boolean }[] }
      begun = subscriptions[0]?.begun === true
    }
    const second = new CommandProcess(folder, serve)
    const [, other = '', otherToken = ''] = await second.says(/(http:\S+)\/#token=(\S+)/)
    const arrived = new Promise<void>((resolve) => (onFirst = resolve))
    await fetch(`${address}/v1/runs`, { method: 'POST', headers, body: JSON.stringify({ program: 'pipeline:ask', id: 'otter' }) })
    await arrived
    await first.kill()
    while (got.length < 2) await pause(10)
    expect(got[1]).toEqual(got[0])
    expect(got[0]?.id).toMatch(/^otter@/)
    const answered = await fetch(`${other}/v1/runs/otter/questions/q1/answer`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${otherToken}` },
      body: JSON.stringify({ value: 'yes' }),
    })
    expect(answered.status).toBe(200)
    while (got.length < 3) await pause(10)
    expect(JSON.parse(got[2]?.body ?? '')).toMatchObject({ type: 'run.completed' })
  })

  test('each time of a schedule starts one run, also while one of the workers is killed', async () => {
    const { folder } = triggerFolder()
    const reflex = new Reflex({ workdir: folder, store: join(folder, '.reflex/reflex.db') })
    onTestFinished(() => reflex.close())
    const schedule = SCHEDULE.parse({ cron: '* * * * * *', program: 'pipeline:short', missed: 'all', most: 1000 })
    await new Schedules(reflex).add('often', schedule)
    const fired = async (): Promise<readonly number[]> =>
      (await reflex.store.ledger('serve.starts')).flatMap(({ key }) => Date.parse(key.replace('schedule/often/', '')))
    const ended = async (): Promise<number> => (await reflex.runs({ status: ['completed'], limit: 1000 })).length
    const workers = [new CommandProcess(folder, ['worker', '--lease', '1s']), new CommandProcess(folder, ['worker', '--lease', '1s'])]
    while ((await ended()) < 3) await pause(20)
    await workers[0]?.kill()
    const before = await ended()
    while ((await ended()) < before + 3) await pause(20)
    workers[1]?.child.kill('SIGTERM')
    await workers[1]?.ended
    const times = [...(await fired())].sort((a, b) => a - b)
    const [begin = 0] = times
    expect(times).toEqual(times.map((_, i) => begin + i * 1000))
    expect(await reflex.runs({ limit: 1000 })).toHaveLength(times.length)
  })
})
