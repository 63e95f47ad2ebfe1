import { expect, test } from 'vitest'
import { claimsHere, claimsOf, faultsOf, provenIn } from '../../../../scripts/claims.ts'

test('every claim is proven by a test, or left out with a reason', () => {
  const { pages, proven } = claimsHere()
  expect(faultsOf(pages, proven), 'npm run claims').toEqual([])
})

test('a claim without a test, a test without a claim, and an omission without a claim are found', () => {
  const page = claimsOf(
    'toy',
    '| `1a` | runs |\n| `1b` | stops |\n| `1c` | waits |\n\n## Left out\n\n| `1c` | nobody waits |\n| `2` | gone |\n',
  )
  const proven = new Set(provenIn(['//', 'proves: toy 1a, toy 3\ntest()\n'].join(' ')))
  expect(faultsOf([page], proven)).toEqual([
    'toy 1b is claimed, and no test proves it',
    'toy 2 is left out, and nothing claims it',
    'toy 3 is proven by a test, and no page claims it',
  ])
  expect(faultsOf([page], new Set(['toy 1a', 'toy 1b', 'toy 1c', 'toy 3']))).toContain('toy 1c is left out, and a test proves it')
})
