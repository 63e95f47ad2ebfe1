#!/bin/sh
# Says which repository is reviewed: the one that is named, else a small shop that is made here, with a branch to review.
set -e
if [ -n "$1" ]; then printf %s "$1"; exit; fi

here=examples/05-code-review/out/shop
printf %s "$here"
rm -rf "$here" && mkdir -p "$here" && cd "$here"
git_() { git -c user.name=Sample -c user.email=sample@example.org "$@"; }
export GIT_AUTHOR_DATE=2024-01-01T00:00:00Z GIT_COMMITTER_DATE=2024-01-01T00:00:00Z

git_ init -q --template= --initial-branch=main
cat > cart.js <<'JS'
export function total(lines) {
  return lines.reduce((sum, { price, count }) => sum + price * count, 0)
}
JS
cat > cart.test.js <<'JS'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from './cart.js'

test('adds up its lines', () => assert.equal(total([{ price: 3, count: 2 }]), 6))
JS
git_ add . && git_ commit -qm 'feat: a cart that adds up'

git_ checkout -qb coupons
cat > coupons.js <<'JS'
import { readFileSync } from 'node:fs'

/** A coupon says what a total becomes, as in "total * 0.9". */
export function rule(code) {
  return readFileSync(`coupons/${code}.txt`, 'utf8')
}
JS
cat > cart.js <<'JS'
import { rule } from './coupons.js'

export function total(lines, code) {
  let total = lines.reduce((sum, { price, count }) => sum + price * count, 0)
  if (code != null) total = eval(rule(code))
  return total
}
JS
mkdir coupons && echo 'total * 0.9' > coupons/SPRING.txt
git_ add . && git_ commit -qm 'feat: coupons'
git_ checkout -q main
