import { expect, it } from 'vitest'
import { describeFault, Fault } from '../../src/kernel/journal/fault.ts'
import { readTrust } from '../../src/policy/index.ts'

const FORGED = 'a\ncompleted 5\r\n\u001b[2K\u0085\u2028\u202ex\u200f\u2066'

it('a name in a fault cannot write lines of its own, move the cursor or turn the text', () => {
  const details = { rule: FORGED, path: FORGED, run: FORGED, fix: `reflex show ${FORGED}`, cause: FORGED }
  for (const fault of [
    new Fault('R2012', 'it failed', 'fail', details),
    new Fault('R2012', FORGED, 'fail', { ...details, cause: { code: 'R1', message: FORGED, verdict: 'fail' } }),
    new Fault('R2012', FORGED, 'fail', { ...details, file: FORGED, line: 1, frame: '1 │ a\n  │ ^' }),
  ]) {
    const text = describeFault(fault)
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
    const frame = fault.frame === undefined ? [] : fault.frame.split('\n')
    expect(text.split('\n').filter((line) => !/^(?:error R2012 | {2}(?:at|cause|fix) )/.test(line))).toEqual(frame)
  }
  expect(describeFault(new Fault('R2012', 'a\nb\u007f', 'fail'))).toBe('error R2012  a␊b␡')
})

it('the stack of a fault begins in the code of whoever called', () => {
  const linesOf = (fault: Error): string[] => (fault.stack ?? '').split('\n').filter((line) => line.includes('/packages/reflex/'))
  expect(linesOf(faultOf(() => readTrust('trusty', 'somebody')))[0]).toContain('fault-text.test.ts')
  expect(linesOf(faultOf(() => readTrust('trusty', 'somebody'))).join()).not.toContain('/src/')
  const replaced = faultOf(() => readTrust('trusty', 'somebody'))
  replaced.stack = 'elsewhere'
  expect(replaced.stack).toBe('elsewhere')
})

function faultOf(act: () => unknown): Error {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof Error) return thrown
  }
  throw new Error('nothing was thrown')
}
