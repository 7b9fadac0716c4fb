-- Tokens that hang on no grant of their client name its epoch: the time of its creation or of its last disabling. Those of an earlier epoch do not count
-- any more. 0: a client of an earlier release.
alter table clients add column token_epoch bigint not null default 0;
--;;
-- Two requests of one session may extend its grant at the same time: the later one keeps what the earlier one added.
create function merged_words(one text, other text) returns text language sql immutable as $$
  select string_agg(word, ' ' order by place) from (
    select word, min(place) as place from unnest(string_to_array(concat_ws(' ', one, other), ' ')) with ordinality as words (word, place)
    where word <> '' group by word) as distinct_words
$$;
--;;
create function merged_lists(one jsonb, other jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(item order by place), '[]') from (
    select item, min(place) as place from jsonb_array_elements(coalesce(one, '[]') || coalesce(other, '[]')) with ordinality as items (item, place)
    group by item) as distinct_items
$$;
--;;
create function merged_grants(one jsonb, other jsonb) returns jsonb language sql immutable as $$
  select one || other
    || case when one ? 'openid' and other ? 'openid' then jsonb_build_object('openid', one -> 'openid' || other -> 'openid'
      || case when one -> 'openid' ? 'scope' and other -> 'openid' ? 'scope'
        then jsonb_build_object('scope', merged_words(one #>> '{openid,scope}', other #>> '{openid,scope}')) else '{}' end
      || case when one -> 'openid' ? 'claims' and other -> 'openid' ? 'claims'
        then jsonb_build_object('claims', merged_lists(one #> '{openid,claims}', other #> '{openid,claims}')) else '{}' end) else '{}' end
    || case when one ? 'resources' and other ? 'resources' then jsonb_build_object('resources', one -> 'resources' || other -> 'resources' || (
      select coalesce(jsonb_object_agg(key, merged_words(one -> 'resources' ->> key, value)), '{}')
      from jsonb_each_text(other -> 'resources') where one -> 'resources' ? key)) else '{}' end
    || case when one ? 'rar' and other ? 'rar' then jsonb_build_object('rar', merged_lists(one -> 'rar', other -> 'rar')) else '{}' end
$$;
