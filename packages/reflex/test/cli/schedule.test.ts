import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { reflex, workFolder, type WorldOptions } from './worlds.ts'

const NIGHTLY = ['schedule', 'add', 'nightly', 'workflow:refund', '--cron', '0 3 * * *', '--zone', 'Europe/Berlin', '-i', 'order_id=A-1042']

function scene(): WorldOptions {
  return { folder: workFolder(), host: virtualHost({ at: Date.UTC(2026, 0, 5, 9) }) }
}

test('a schedule is added, listed, paused, resumed and removed', async () => {
  const options = scene()
  const added = await reflex(NIGHTLY, options)
  expect(added).toMatchObject({ code: 0, out: '' })
  expect(added.err).toContain('added  nightly  next 2026-01-06T02:00:00.000Z')
  expect((await reflex(['schedule'], options)).out).toBe(
    'nightly\t0 3 * * *\tEurope/Berlin\tworkflow:refund\t2026-01-06T02:00:00.000Z\t\t\n',
  )
  expect(JSON.parse((await reflex(['schedule', 'list', '--json'], options)).out)).toMatchObject({
    schedules: [{ name: 'nightly', input: { order_id: 'A-1042' }, missed: 'last', declared: 'store', next: { length: 5 } }],
  })
  expect((await reflex(['schedule', 'pause', 'nightly'], options)).err).toContain('paused  nightly')
  expect((await reflex(['schedule'], { ...options, columns: 100 })).screen).toMatch(
    /nightly +0 3 \* \* \* +Europe\/Berlin +workflow:refund +paused/,
  )
  expect((await reflex(['schedule', 'resume', 'nightly'], options)).err).toContain('resumed  nightly  next 2026')
  expect((await reflex(['schedule', 'remove', 'nightly'], options)).err).toContain('removed  nightly')
  expect((await reflex(['schedule', 'list'], { ...options, columns: 100 })).screen).toContain('no schedules')
})

test('a schedule keeps the place of its runs in a cluster', async () => {
  const options = scene()
  const place = ['--queue', 'nightly', '--tenant', 'acme', '--priority', '5', '--needs', 'gpu']
  const { code, err } = await reflex([...NIGHTLY, ...place], options)
  expect(code).toBe(0)
  expect(err).toContain('reflex worker --cluster or reflex serve --cluster')
  expect((await reflex(['schedule'], options)).out).toContain('\tqueue nightly, tenant acme, priority 5, needs gpu\n')
  expect(JSON.parse((await reflex(['schedule', '--json'], options)).out)).toMatchObject({
    schedules: [{ queue: 'nightly', tenant: 'acme', priority: 5, needs: ['gpu'] }],
  })
})

describe('a schedule is refused', () => {
  test.each<[string, readonly string[], string, string]>([
    ['with an unknown action', ['schedule', 'lst'], 'R2031', 'reflex schedule list'],
    ['without a name', ['schedule', 'pause'], 'R2031', 'reflex schedule pause NAME'],
    ['without a program', ['schedule', 'add', 'a', '--cron', '* * * * *'], 'R2031', 'NAME PROGRAM --cron CRON'],
    ['without times', ['schedule', 'add', 'a', 'workflow:refund'], 'R2031', '--cron'],
    ['with a program that is missing', ['schedule', 'add', 'a', 'workflow:refnud', '--cron', '* * * * *'], 'R1021', 'refund'],
    ['with a wrong calendar', ['schedule', 'add', 'a', 'workflow:refund', '--cron', '99 * * * *'], 'R6056', 'cron'],
    ['with a wrong policy', ['schedule', 'add', 'a', 'workflow:refund', '--cron', '* * * * *', '--missed', 'some'], 'R6056', 'missed'],
    ['with a number that is none', ['schedule', 'add', 'a', 'workflow:refund', '--cron', '* * * * *', '--most', 'x'], 'R6056', 'most'],
    ['with a wrong queue', ['schedule', 'add', 'a', 'workflow:refund', '--cron', '* * * * *', '--queue', 'a b'], 'R6056', 'queue'],
    [
      'with a wrong priority',
      ['schedule', 'add', 'a', 'workflow:refund', '--cron', '* * * * *', '--priority', 'x'],
      'R5110',
      'the priority "x"',
    ],
    ['with a wrong name', ['schedule', 'add', '../a', 'workflow:refund', '--cron', '* * * * *'], 'R6056', 'letters'],
    ['that the store does not have', ['schedule', 'remove', 'nightly'], 'R6057', 'nightly'],
  ])('%s', async (_, argv, code, text) => {
    const { code: exit, out, err } = await reflex(argv, scene())
    expect({ exit, out }).toEqual({ exit: expect.any(Number) as number, out: '' })
    expect(exit).not.toBe(0)
    expect(err).toContain(`error ${code}`)
    expect(err).toContain(text)
  })

  test('if another one has its name; the same one again changes nothing', async () => {
    const options = scene()
    await reflex(NIGHTLY, options)
    expect((await reflex(NIGHTLY, options)).code).toBe(0)
    const other = await reflex(['schedule', 'add', 'nightly', 'workflow:refund', '--cron', '0 4 * * *'], options)
    expect(other.err).toContain('error R6058')
  })
})

test('only a schedule that is added makes a store', async () => {
  const { folder } = scene()
  await reflex(['schedule', 'list'], { folder })
  expect(existsSync(join(folder, '.reflex'))).toBe(false)
  await reflex(NIGHTLY, { folder })
  expect(existsSync(join(folder, '.reflex'))).toBe(true)
})
