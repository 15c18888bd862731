"""A small shop, and one model of it in each of MongoDB and Redis, for the tests of these stores."""

SHOP = """
keywright: 1
name: Shop
entities:
  - name: user
    count: 1000
    fields: [id uuid key, name string avg 10 max 10, email string unique avg 20 max 20]
  - name: order
    count: 10000
    fields:
      - id uuid key
      - user_id uuid
      - status enum distinct 3
      - created_at datetime monotonic
      - note string avg 30 max 30 present 50%
      - tags string[] distinct 50 avg 5 max 5 items avg 3 max 3
      - {name: total, type: int64, computed: sum(line.price)}
  - name: line
    fields: [order_id uuid, sku string avg 6 max 6, qty int32, price int32]
  - name: review
    count: 50000
    fields: [id uuid key, user_id uuid, text string avg 100, stars int32, at datetime monotonic]
relationships:
  - {parent: user, child: order, via: user_id, children: {avg: 10, p99: 100, max: 2k}}
  - {parent: order, child: line, via: order_id, children: exactly 3}
  - {parent: user, child: review, via: user_id, children: {avg: 50, p99: 400, max: 5k}}
patterns:
  - {operation: Order page, get: order, where: "order.id = :order", needs: [order, line, user.name]}
  - operation: Orders of a user
    list: order
    where: order.user_id = :user
    order by: order.created_at desc, order.id desc
    limit: 20
    paging: cursor
    needs: [order.status, order.total]
  - operation: Orders with users
    list: order
    where: order.status = 'open'
    order by: order.created_at desc
    limit: 10
    needs: [order, user.email]
  - {operation: Place order, insert: order, with: line, set: {order.status: open, order.created_at: now}, atomic: yes}
  - {operation: Rename, update: user, where: "user.id = :user", set: {user.name: ":name"}}
  - {operation: Add line, insert: line, retry: idempotency key}
  - {operation: More of it, update: line, where: "line.order_id = :order and line.sku = :sku", set: {line.qty: +1}}
  - {operation: Cancel, delete: order, where: "order.id = :order"}
  - {operation: Review, insert: review, set: {review.at: now}}
  - operation: Best reviews
    list: review
    where: review.user_id = :user
    order by: review.stars desc
    limit: 5
    needs: [review.id, review.stars]
  - {operation: Stars, aggregate: review, where: "review.user_id = :user", compute: avg(review.stars)}
  - {operation: Reviews, count: review, where: "review.user_id = :user"}
  - {operation: Load user, get: user, where: "user.id = :user", consistency: eventual 10 min}
models:
  - name: Documents
    store: mongodb
    structures:
      - {collection: users, of: user, _id: user.id, indexes: [{keys: [user.email], unique: yes}]}
      - collection: orders
        of: order
        _id: order.id
        embed: [{what: line, as: lines, max: 50, beyond: refuse}]
        copy: [{what: user.name, as: user_name, refresh: same write}]
        computed: [{what: order.total, refresh: same write}]
        indexes:
          - {keys: [order.user_id, order.created_at desc, order.id desc]}
          - {keys: [order.status, order.created_at desc], where: "order.status = 'open'"}
          - {keys: [order.tags]}
      - collection: reviews
        of: review
        _id: review.id
        indexes: [{keys: [review.user_id, review.stars desc]}]
        ttl: 90 days after review.at
  - name: Keys
    store: redis
    version: 7.4
    options: {maxmemory: 2 GB, maxmemory-policy: volatile-lru, cluster: yes}
    nodes: 3
    structures:
      - {keys: "user:{user.id}", type: hash, of: user, ttl: 1 h sliding, owner: web}
      - {keys: "order:{order.id}", type: string, of: order, format: json, ttl: none, embed: [{what: line, as: lines}]}
      - keys: "reviews:{review.user_id|tag}"
        type: sorted set
        of: review
        member: "{review.id}"
        score: review.stars
        max: 1000
        ttl: none
      - {keys: "counter:reviews:{shard 8}", type: string, purpose: counter, counts: review, ttl: none}
      - {keys: "hits:{review.user_id}:{review.at|hour}", type: string, purpose: counter, counts: review, ttl: 2 h}
      - keys: "cache:user:{user.id}"
        type: string
        of: user
        purpose: cache
        truth: "user:{user.id}"
        ttl: 300 s jitter 10%
        on change: delete key
      - {keys: "feed:{review.user_id}", type: stream, of: review, max: 500, ttl: none}
"""
